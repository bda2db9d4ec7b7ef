"""A network without a way to the internet, with a door to each AWS service that is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import pulumi
import pulumi_aws as aws

from firstword.infra.names import Names
from firstword.infra.policies import weights_gateway

RANGE = "10.71.0.0/16"
SUBNET_RANGES = ("10.71.0.0/20", "10.71.16.0/20", "10.71.32.0/20", "10.71.48.0/20")

HTTPS = 443
SPEECH = 8443
"""Where SageMaker takes bidirectional streams."""

DOORS = MappingProxyType(
    {
        "ecr.api": "the image's manifest",
        "ecr.dkr": "the image's layers",
        "logs": "what the containers write",
        "monitoring": "metrics",
        "xray": "traces",
        "sts": "the roles' credentials",
        "sagemaker.runtime": "the agent's sentences",
        "bedrock-runtime": "the agent's thoughts",
        "bedrock-agentcore": "the runtime's own identity",
    }
)
"""Interface endpoints, and what passes through each. S3 has a gateway, which costs nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkArgs:
    """``zones``: two availability zones or more."""

    names: Names
    zones: Sequence[str]


class Network(pulumi.ComponentResource):
    """Subnets and security group for SageMaker's and AgentCore's machines."""

    subnet_ids: pulumi.Output[Sequence[str]]
    security_group_id: pulumi.Output[str]

    def __init__(
        self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("firstword:infra:Network", name, None, opts)
        self._name, self._args = name, args
        self._inside = pulumi.ResourceOptions(parent=self)
        vpc = aws.ec2.Vpc(
            name,
            aws.ec2.VpcArgs(
                cidr_block=RANGE,
                enable_dns_hostnames=True,
                enable_dns_support=True,
                tags={"Name": name},
            ),
            opts=self._inside,
        )
        # The default group lets its members talk to each other and to everybody: it gets no rules.
        aws.ec2.DefaultSecurityGroup(
            f"{name}-default",
            aws.ec2.DefaultSecurityGroupArgs(vpc_id=vpc.id),
            opts=self._inside,
        )
        routes = aws.ec2.RouteTable(
            f"{name}-routes",
            aws.ec2.RouteTableArgs(vpc_id=vpc.id, tags={"Name": name}),
            opts=self._inside,
        )
        subnets = self._subnets(vpc, routes)
        group, doors_group = self._groups(vpc)
        self._gateway(vpc, routes, group)
        self._doors(vpc, subnets, doors_group)
        self.subnet_ids = pulumi.Output.all(*[subnet.id for subnet in subnets])
        self.security_group_id = group.id
        self.register_outputs(
            {"subnet_ids": self.subnet_ids, "security_group_id": self.security_group_id}
        )

    def _subnets(self, vpc: aws.ec2.Vpc, routes: aws.ec2.RouteTable) -> list[aws.ec2.Subnet]:
        subnets = []
        for zone, cidr in zip(self._args.zones, SUBNET_RANGES, strict=False):
            letter = zone[-1]
            subnet = aws.ec2.Subnet(
                f"{self._name}-{letter}",
                aws.ec2.SubnetArgs(
                    vpc_id=vpc.id,
                    availability_zone=zone,
                    cidr_block=cidr,
                    map_public_ip_on_launch=False,
                    tags={"Name": f"{self._name}-{letter}"},
                ),
                opts=self._inside,
            )
            aws.ec2.RouteTableAssociation(
                f"{self._name}-{letter}-routes",
                aws.ec2.RouteTableAssociationArgs(subnet_id=subnet.id, route_table_id=routes.id),
                opts=self._inside,
            )
            subnets.append(subnet)
        return subnets

    def _groups(self, vpc: aws.ec2.Vpc) -> tuple[aws.ec2.SecurityGroup, aws.ec2.SecurityGroup]:
        """The machines' group and the doors' group: the first may reach the second, and S3."""
        machines = aws.ec2.SecurityGroup(
            f"{self._name}-machines",
            aws.ec2.SecurityGroupArgs(
                vpc_id=vpc.id,
                description="Speech server and agent: out to AWS's doors, nothing in",
                tags={"Name": f"{self._name}-machines"},
            ),
            opts=self._inside,
        )
        doors = aws.ec2.SecurityGroup(
            f"{self._name}-doors",
            aws.ec2.SecurityGroupArgs(
                vpc_id=vpc.id,
                description="Doors to AWS services: in from the machines, nothing out",
                tags={"Name": f"{self._name}-doors"},
            ),
            opts=self._inside,
        )
        for port in (HTTPS, SPEECH):
            aws.vpc.SecurityGroupEgressRule(
                f"{self._name}-out-{port}",
                aws.vpc.SecurityGroupEgressRuleArgs(
                    security_group_id=machines.id,
                    referenced_security_group_id=doors.id,
                    ip_protocol="tcp",
                    from_port=port,
                    to_port=port,
                    description="to AWS services",
                ),
                opts=self._inside,
            )
            aws.vpc.SecurityGroupIngressRule(
                f"{self._name}-in-{port}",
                aws.vpc.SecurityGroupIngressRuleArgs(
                    security_group_id=doors.id,
                    referenced_security_group_id=machines.id,
                    ip_protocol="tcp",
                    from_port=port,
                    to_port=port,
                    description="from speech server and agent",
                ),
                opts=self._inside,
            )
        return machines, doors

    def _gateway(
        self, vpc: aws.ec2.Vpc, routes: aws.ec2.RouteTable, machines: aws.ec2.SecurityGroup
    ) -> None:
        """The way to S3: weights, and the layers of images."""
        gateway = aws.ec2.VpcEndpoint(
            f"{self._name}-s3",
            aws.ec2.VpcEndpointArgs(
                vpc_id=vpc.id,
                vpc_endpoint_type="Gateway",
                service_name=f"com.amazonaws.{self._args.names.region}.s3",
                route_table_ids=[routes.id],
                policy=weights_gateway(self._args.names),
                tags={"Name": f"{self._name}-s3"},
            ),
            opts=self._inside,
        )
        aws.vpc.SecurityGroupEgressRule(
            f"{self._name}-out-s3",
            aws.vpc.SecurityGroupEgressRuleArgs(
                security_group_id=machines.id,
                prefix_list_id=gateway.prefix_list_id,
                ip_protocol="tcp",
                from_port=HTTPS,
                to_port=HTTPS,
                description="to S3",
            ),
            opts=self._inside,
        )

    def _doors(
        self,
        vpc: aws.ec2.Vpc,
        subnets: Sequence[aws.ec2.Subnet],
        group: aws.ec2.SecurityGroup,
    ) -> None:
        for service in DOORS:
            door = f"{self._name}-{service.replace('.', '-')}"
            aws.ec2.VpcEndpoint(
                door,
                aws.ec2.VpcEndpointArgs(
                    vpc_id=vpc.id,
                    vpc_endpoint_type="Interface",
                    service_name=f"com.amazonaws.{self._args.names.region}.{service}",
                    private_dns_enabled=True,
                    subnet_ids=[subnet.id for subnet in subnets],
                    security_group_ids=[group.id],
                    tags={"Name": door},
                ),
                opts=self._inside,
            )
