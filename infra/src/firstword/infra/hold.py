"""What keeps a stack from being destroyed under those that stand on it.

Pulumi knows no order between stacks: `pulumi destroy` of the endpoint takes it from under a running
agent. So a stack offers a policy that depends on all of its other resources and is therefore the
first that a destroy deletes; each stack above attaches it to a role. AWS deletes no policy that is
attached, the destroy ends there, and nothing else is touched.
"""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
import pulumi_aws as aws

from firstword.infra.names import Names, Part
from firstword.infra.statements import Statement, policy


def watched() -> Sequence[pulumi.Resource]:
    """All of a cloud's resources that are declared from now on; it grows as they are.

    A component stands for its children to what depends on it, but a bucket does not for those that
    have it as their parent: so all of them are named one by one.
    """
    found: list[pulumi.Resource] = []

    def note(args: pulumi.ResourceTransformationArgs) -> None:
        if isinstance(args.resource, pulumi.CustomResource):
            found.append(args.resource)

    pulumi.runtime.register_stack_transformation(note)
    return found


def offered(
    names: Names, part: Part, everything: Sequence[pulumi.Resource], provider: aws.Provider
) -> pulumi.Output[str]:
    """The ARN of the policy that holds the stack of ``part`` while it is attached."""
    right = aws.iam.Policy(
        "held",
        aws.iam.PolicyArgs(
            name=names.hold(part),
            description=f"While this is attached, the {part} of {names.prefix} cannot be destroyed",
            policy=policy(_look(names, part)),
        ),
        opts=pulumi.ResourceOptions(provider=provider, depends_on=list(everything)),
    )
    return right.arn


def hold(
    name: str,
    policy_arn: pulumi.Input[str],
    role_name: pulumi.Input[str],
    provider: aws.Provider,
) -> aws.iam.RolePolicyAttachment:
    """Hold the stack that offered the policy. What needs that stack depends on this."""
    return aws.iam.RolePolicyAttachment(
        f"holds-{name}",
        aws.iam.RolePolicyAttachmentArgs(role=role_name, policy_arn=policy_arn),
        opts=pulumi.ResourceOptions(provider=provider),
    )


def _look(names: Names, part: Part) -> Statement:
    """A policy must grant something: to see that what is held is there."""
    if part == "endpoint":
        return Statement("SeeTheEndpoint", ["sagemaker:DescribeEndpoint"], [names.endpoint_arn])
    repositories = [
        names.arn("ecr", f"repository/{names.repository(image)}") for image in ("tts", "agent")
    ]
    return Statement("SeeTheRepositories", ["ecr:DescribeRepositories"], repositories)
