"""What outlives the other stacks: model cache, image repositories, roles, log groups, network."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pulumi
import pulumi_aws as aws

from firstword.infra import policies
from firstword.infra.model_bucket import ModelBucket, ModelBucketArgs
from firstword.infra.names import Names
from firstword.infra.network import Network, NetworkArgs
from firstword.infra.settings import FoundationSettings

UNTAGGED_DAYS = 7
"""After which an image is thrown away that has no tag (any more)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundationArgs:
    """``zones`` are used where the settings ask for a network."""

    settings: FoundationSettings
    names: Names
    zones: Sequence[str]


class Foundation(pulumi.ComponentResource):
    """Outputs what the other stacks need, by name."""

    outputs: Mapping[str, pulumi.Output[object]]

    def __init__(
        self, name: str, args: FoundationArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("firstword:infra:Foundation", name, None, opts)
        self._args, self._names = args, args.names
        self._inside = pulumi.ResourceOptions(parent=self)
        cache = ModelBucket(
            "models",
            ModelBucketArgs(
                names=self._names,
                old_version_days=args.settings.old_version_days,
                force_destroy=args.settings.force_destroy,
            ),
            opts=self._inside,
        )
        repositories = {image: self._repository(image) for image in ("tts", "agent")}
        in_network = args.settings.vpc_only
        sagemaker = self._role(
            "sagemaker",
            policies.sagemaker_trust(self._names),
            policies.sagemaker_role(self._names, in_network),
        )
        agent = self._role(
            "agent", policies.agent_trust(self._names), policies.agent_role(self._names)
        )
        caller = self._role(
            "caller", policies.caller_trust(self._names, args.settings.callers), None
        )
        self._log_group("endpoint-logs", self._names.endpoint_logs)
        runtime_logs = self._log_group("runtime-logs", self._names.runtime_logs)
        network = self._network() if in_network else None
        self.outputs = {
            "account": pulumi.Output.from_input(self._names.account),
            "region": pulumi.Output.from_input(self._names.region),
            "modelBucket": cache.bucket_name,
            "ttsRepositoryUrl": repositories["tts"].repository_url,
            "agentRepositoryUrl": repositories["agent"].repository_url,
            "sagemakerRoleArn": sagemaker.arn,
            "sagemakerRoleName": sagemaker.name,
            "agentRoleArn": agent.arn,
            "agentRoleName": agent.name,
            "callerRoleArn": caller.arn,
            "callerRoleName": caller.name,
            "runtimeLogGroupArn": runtime_logs.arn,
            "subnetIds": network.subnet_ids if network else pulumi.Output.from_input([]),
            "securityGroupIds": pulumi.Output.all(
                *([network.security_group_id] if network else [])
            ),
        }
        self.register_outputs(dict(self.outputs))

    def _repository(self, image: Literal["tts", "agent"]) -> aws.ecr.Repository:
        settings = self._args.settings
        repository = aws.ecr.Repository(
            f"{image}-images",
            aws.ecr.RepositoryArgs(
                name=self._names.repository(image),
                image_tag_mutability="IMMUTABLE",
                image_scanning_configuration=aws.ecr.RepositoryImageScanningConfigurationArgs(
                    scan_on_push=True
                ),
                encryption_configurations=[
                    aws.ecr.RepositoryEncryptionConfigurationArgs(encryption_type="AES256")
                ],
                force_delete=settings.force_destroy,
            ),
            opts=self._inside,
        )
        aws.ecr.LifecyclePolicy(
            f"{image}-images-lifecycle",
            aws.ecr.LifecyclePolicyArgs(
                repository=repository.name, policy=image_lifecycle(settings.images_kept)
            ),
            opts=pulumi.ResourceOptions(parent=repository),
        )
        return repository

    def _role(
        self, who: Literal["sagemaker", "agent", "caller"], trust: str, allowed: str | None
    ) -> aws.iam.Role:
        role = aws.iam.Role(
            f"{who}-role",
            aws.iam.RoleArgs(name=self._names.role(who), assume_role_policy=trust),
            opts=self._inside,
        )
        if allowed is not None:
            aws.iam.RolePolicy(
                f"{who}-role-policy",
                aws.iam.RolePolicyArgs(role=role.name, name="own", policy=allowed),
                opts=pulumi.ResourceOptions(parent=role),
            )
        return role

    def _log_group(self, name: str, path: str) -> aws.cloudwatch.LogGroup:
        return aws.cloudwatch.LogGroup(
            name,
            aws.cloudwatch.LogGroupArgs(
                name=path, retention_in_days=self._args.settings.log_retention_days
            ),
            opts=self._inside,
        )

    def _network(self) -> Network:
        return Network(
            f"{self._names.prefix}-network",
            NetworkArgs(names=self._names, zones=self._args.zones),
            opts=self._inside,
        )


def image_lifecycle(kept: int) -> str:
    """Keep the newest images; throw away what lost its tag."""
    untagged = {
        "rulePriority": 1,
        "description": "what has no tag any more",
        "selection": {
            "tagStatus": "untagged",
            "countType": "sinceImagePushed",
            "countUnit": "days",
            "countNumber": UNTAGGED_DAYS,
        },
        "action": {"type": "expire"},
    }
    surplus = {
        "rulePriority": 2,
        "description": f"all but the newest {kept}",
        "selection": {"tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": kept},
        "action": {"type": "expire"},
    }
    return json.dumps({"rules": [untagged, surplus]})
