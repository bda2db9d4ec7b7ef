"""EC2: the network of environments without a way to the internet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.aws_calls import Calls
from engine.aws_world import Account
from engine.provider import Answer, Properties


def answers(account: Account) -> dict[str, Answer]:
    """Token to Answer."""
    return {
        "aws:ec2/vpc:Vpc": _vpc(account),
        "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": _DefaultGroup(account),
        "aws:ec2/subnet:Subnet": _made(
            account, "subnet", "Subnet", "SubnetId", shaped=_without("mapPublicIpOnLaunch")
        ),
        "aws:ec2/routeTable:RouteTable": _made(
            account, "route_table", "RouteTable", "RouteTableId"
        ),
        "aws:ec2/routeTableAssociation:RouteTableAssociation": _association(account),
        "aws:ec2/securityGroup:SecurityGroup": _group(account),
        "aws:ec2/vpcEndpoint:VpcEndpoint": _endpoint(account),
        "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": _rule(account, "egress"),
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": _rule(account, "ingress"),
    }


def _without(*names: str) -> Callable[[Properties], Properties]:
    return lambda inputs: {k: v for k, v in inputs.items() if k not in ("tags", *names)}


def _made(account: Account, what: str, field: str, id_name: str, **more: Any) -> Calls:
    """The usual three calls; ``more`` goes to Calls."""
    options: dict[str, Any] = {
        "ident": lambda inputs, answer: str(answer[field][id_name]),
        "key": lambda name, state: {id_name: name},
        "made": lambda inputs, answer: {"arn": _arn(account, what, answer[field][id_name])},
        "shaped": _without(),
        "change": lambda name, old, new: None,
        "updatable": frozenset({"tags"}),
    }
    delete = more.pop("delete_call", f"delete_{what}")
    return Calls(account, "ec2", f"create_{what}", delete, **(options | more))


def _arn(account: Account, what: str, ident: str) -> str:
    kind = what.replace("_", "-")
    return f"arn:aws:ec2:{account.region}:{account.number}:{kind}/{ident}"


def _vpc(account: Account) -> Answer:
    shaped = _without("enableDnsHostnames", "enableDnsSupport")
    return _made(account, "vpc", "Vpc", "VpcId", shaped=shaped)


class _DefaultGroup:
    """Not made but taken over: its rules go. It goes with its network."""

    updatable = frozenset({"tags", "ingress", "egress"})
    autoname = None

    def __init__(self, account: Account) -> None:
        self._ec2 = account.client("ec2")

    def create(self, inputs: Properties) -> tuple[str, Properties]:
        group = self._ec2.describe_security_groups(
            Filters=[
                {"Name": "vpc-id", "Values": [inputs["vpcId"]]},
                {"Name": "group-name", "Values": ["default"]},
            ]
        )["SecurityGroups"][0]
        if group["IpPermissions"]:
            self._ec2.revoke_security_group_ingress(
                GroupId=group["GroupId"], IpPermissions=group["IpPermissions"]
            )
        if group["IpPermissionsEgress"]:
            self._ec2.revoke_security_group_egress(
                GroupId=group["GroupId"], IpPermissions=group["IpPermissionsEgress"]
            )
        return group["GroupId"], inputs

    def update(self, ident: str, old: Properties, new: Properties) -> Properties:
        return {**old, **new}

    def exists(self, ident: str, state: Properties) -> bool:
        return True

    def delete(self, ident: str, state: Properties) -> None:
        """AWS deletes it with the network."""


def _association(account: Account) -> Answer:
    return Calls(
        account,
        "ec2",
        "associate_route_table",
        "disassociate_route_table",
        ident=lambda inputs, answer: str(answer["AssociationId"]),
        key=lambda ident, state: {"AssociationId": ident},
    )


def _group(account: Account) -> Answer:
    return _made(
        account,
        "security_group",
        "SecurityGroup",
        "GroupId",
        ident=lambda inputs, answer: str(answer["GroupId"]),
        made=lambda inputs, answer: {"arn": _arn(account, "security_group", answer["GroupId"])},
        shaped=_without("ingress", "egress", "revokeRulesOnDelete"),
        names={"name": "groupName"},
        autoname="name",
    )


def _endpoint(account: Account) -> Answer:
    ec2 = account.client("ec2")

    def made(inputs: Properties, answer: dict[str, Any]) -> Properties:
        endpoint = answer["VpcEndpoint"]
        found: Properties = {"arn": _arn(account, "vpc_endpoint", endpoint["VpcEndpointId"])}
        if inputs.get("vpcEndpointType") == "Gateway":
            lists = ec2.describe_managed_prefix_lists()["PrefixLists"]
            name = str(inputs["serviceName"])
            found["prefixListId"] = next(
                (each["PrefixListId"] for each in lists if each["PrefixListName"] == name),
                "pl-00000000",
            )
        return found

    return _made(
        account,
        "vpc_endpoint",
        "VpcEndpoint",
        "VpcEndpointId",
        made=made,
        names={"policy": "policyDocument"},
        delete_call="delete_vpc_endpoints",
        key=lambda ident, state: {"VpcEndpointIds": [ident]},
        updatable=frozenset({"policy", "routeTableIds", "subnetIds", "securityGroupIds", "tags"}),
    )


def _rule(account: Account, way: str) -> Answer:
    def shaped(inputs: Properties) -> Properties:
        permission: dict[str, Any] = {
            "ipProtocol": inputs["ipProtocol"],
            "fromPort": inputs.get("fromPort"),
            "toPort": inputs.get("toPort"),
        }
        description = {"description": inputs.get("description")}
        if group := inputs.get("referencedSecurityGroupId"):
            permission["userIdGroupPairs"] = [{"groupId": group, **description}]
        elif prefix := inputs.get("prefixListId"):
            permission["prefixListIds"] = [{"prefixListId": prefix, **description}]
        elif cidr := inputs.get("cidrIpv4"):
            permission["ipRanges"] = [{"cidrIp": cidr, **description}]
        return {"groupId": inputs["securityGroupId"], "ipPermissions": [permission]}

    def ident(inputs: Properties, answer: dict[str, Any]) -> str:
        return str(answer["SecurityGroupRules"][0]["SecurityGroupRuleId"])

    return Calls(
        account,
        "ec2",
        f"authorize_security_group_{way}",
        f"revoke_security_group_{way}",
        ident=ident,
        key=lambda name, state: {
            "GroupId": state["securityGroupId"],
            "SecurityGroupRuleIds": [name],
        },
        shaped=shaped,
    )
