"""A static checker of clouds (checkov) over all that is planned; each exception has its reason."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from infra.planning import ROOT, Plan
from infra.terraform import Terraform

CHECKER = "checkov==3.3.30"

OWN_KEY = "encrypted with AWS's key; a key of one's own costs and guards public weights and images"

EXCEPTIONS: dict[tuple[str, str], str] = {
    ("CKV_AWS_136", "aws_ecr_repository"): OWN_KEY,
    ("CKV_AWS_145", "aws_s3_bucket"): OWN_KEY,
    ("CKV_AWS_158", "aws_cloudwatch_log_group"): "no prompt, sentence or audio is ever logged",
    ("CKV_AWS_26", "aws_sns_topic"): "CloudWatch cannot ring a topic under AWS's own key",
    ("CKV_AWS_98", "aws_sagemaker_endpoint_configuration"): (
        "disks inside GPU machines are encrypted by their hardware; SageMaker takes no key for them"
    ),
    ("CKV_AWS_18", "aws_s3_bucket"): "weights anybody may have; an access log is a second bucket",
    ("CKV_AWS_144", "aws_s3_bucket"): "a cache: `firstword deploy` fills it again from anywhere",
    ("CKV2_AWS_62", "aws_s3_bucket"): "nobody waits for news of a cache",
    ("CKV_AWS_338", "aws_cloudwatch_log_group"): "logRetentionDays says how long, up to ten years",
    ("CKV_AWS_61", "aws_iam_role"): "the account's own policies say who; `callers` names them here",
    ("CKV2_AWS_11", "aws_vpc"): "a network without a way out or in; flow logs cost by the gigabyte",
    ("CKV2_AWS_5", "aws_security_group"): "it is SageMaker's and AgentCore's, in other stacks",
}
"""Check and type of resource to why it does not hold here."""


@pytest.fixture(scope="module")
def report(plans: list[Plan], tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("terraform")
    for number, plan in enumerate(plans):
        tags = json.loads(plan.one("pulumi:providers:aws").inputs["defaultTags"])["tags"]
        (folder / f"{number}").mkdir()
        text = Terraform(plan, tags).text()
        (folder / f"{number}" / "main.tf").write_text(text, encoding="utf-8")
    return check(folder)


def check(folder: Path) -> list[dict[str, Any]]:
    """All results of the checker, which runs in an environment of its own."""
    command = [ROOT / "tools/uv", "tool", "run", CHECKER, "--directory", folder]
    options = ["--framework", "terraform", "--output", "json", "--quiet", "--skip-download"]
    environment = {**os.environ, "LOG_LEVEL": "ERROR", "PYTHONWARNINGS": "ignore"}
    ran = subprocess.run(
        [*command, *options, "--soft-fail"],
        capture_output=True,
        text=True,
        timeout=280,
        env=environment,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    results = json.loads(ran.stdout)["results"]
    assert not results.get("parsing_errors")
    return list(results["failed_checks"])


@pytest.mark.static
def test_what_the_checker_finds_is_excused_with_a_reason(report: list[dict[str, Any]]) -> None:
    found = {(r["check_id"], r["resource"].split(".")[0]): r["check_name"] for r in report}
    unexcused = {key: name for key, name in found.items() if key not in EXCEPTIONS}
    assert not unexcused


@pytest.mark.static
def test_no_exception_is_kept_that_nothing_needs(report: list[dict[str, Any]]) -> None:
    found = {(r["check_id"], r["resource"].split(".")[0]) for r in report}
    assert not set(EXCEPTIONS) - found
    assert all(EXCEPTIONS.values())


@pytest.mark.static
def test_the_checker_sees_what_is_wrong(plans: list[Plan], tmp_path: Path) -> None:
    text = Terraform(plans[0], {}).text()
    assert 'status = "Enabled"' in text
    broken = text.replace('image_tag_mutability = "IMMUTABLE"', 'image_tag_mutability = "MUTABLE"')
    broken = broken.replace("block_public_acls = true", "block_public_acls = false")
    (tmp_path / "main.tf").write_text(broken, encoding="utf-8")
    found = {r["check_id"] for r in check(tmp_path)}
    assert {"CKV_AWS_51", "CKV_AWS_53"} <= found
