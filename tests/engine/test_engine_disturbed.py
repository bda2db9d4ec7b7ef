"""Deployments that fail, are stopped or meet each other, and go on."""

from __future__ import annotations

import json
import signal
from collections import Counter
from collections.abc import Callable

import pytest
from engine.disturbances import DEADLINE_S, Gate, OnceEach, disturbed
from engine.site import Site, leftovers

pytestmark = [pytest.mark.pulumi, pytest.mark.timeout(1500)]

MODEL = "aws:sagemaker/model:Model"
MOST_RUNS = 40
"""Runs until everything has failed once and then worked: as many as there are layers, roughly."""


def kinds(site: Site, stack: str) -> Counter[str]:
    """How many resources of each type a stack's state holds."""
    exported = site.pulumi("stack", "export", "--stack", stack)
    state = json.loads(exported.stdout)["deployment"]
    assert not state.get("pending_operations")
    return Counter(resource["type"] for resource in state.get("resources", ()))


def runs_until_done(run: Callable[[], int], failures: OnceEach) -> int:
    """Run again and again; every run that fails has failed at something new."""
    for count in range(1, MOST_RUNS + 1):
        before = len(failures.failed)
        if run() == 0:
            return count
        assert len(failures.failed) > before
    pytest.fail(f"not done after {MOST_RUNS} runs")


def test_a_failure_at_every_single_resource_is_gone_on_from_to_the_same_end(
    sites: Callable[..., Site],
) -> None:
    smooth, rough = sites(), sites()
    assert smooth.firstword("deploy", "dev").returncode == 0
    for stack in rough.stacks:
        rough.pulumi("stack", "select", "--create", stack)
        with disturbed(rough.aws.journal, OnceEach("create")) as failures:
            up = ("up", "--yes", "--skip-preview", "--continue-on-error", "--stack", stack)
            runs_until_done(lambda up=up: rough.pulumi(*up).returncode, failures)
        assert kinds(rough, stack) == kinds(smooth, stack)
        wanted = kinds(rough, stack).total()
        ours = sum(n for kind, n in kinds(rough, stack).items() if kind.startswith("aws:"))
        assert len(failures.failed) == ours, (wanted, failures.failed)
    assert {k: len(v) for k, v in leftovers(rough.account).items()} == {
        k: len(v) for k, v in leftovers(smooth.account).items()
    }

    for stack in reversed(rough.stacks[1:]):
        with disturbed(rough.aws.journal, OnceEach("delete")) as failures:
            down = ("destroy", "--yes", "--skip-preview", "--continue-on-error", "--stack", stack)
            runs_until_done(lambda down=down: rough.pulumi(*down).returncode, failures)
        assert failures.failed
    assert not leftovers(rough.account)["endpoints"]


def test_a_failed_deployment_says_why_and_the_next_one_goes_on(site: Site) -> None:
    with disturbed(site.aws.journal, OnceEach("create")):
        run = site.firstword("deploy", "dev")
    assert run.returncode == 1
    assert "dev-foundation failed" in run.stderr
    assert "ServiceUnavailable: the first try of" in run.stderr
    assert "firstword deploy dev" in run.stderr
    assert "Traceback" not in run.stderr
    assert site.firstword("deploy", "dev").returncode == 0


def test_ctrl_c_finishes_what_is_in_flight_and_the_next_run_goes_on(site: Site) -> None:
    with disturbed(site.aws.journal, Gate("create", MODEL)) as gate:
        process = site.start("deploy", "dev")
        assert gate.reached.wait(DEADLINE_S)
        process.send_signal(signal.SIGINT)
        told = ""
        while "stopping" not in told:
            line = process.stderr.readline()  # type: ignore[union-attr]
            assert line, told
            told += line
        gate.opened.set()
        _, rest = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 130, told + rest
    assert "go on with: firstword deploy dev" in rest
    assert "Traceback" not in told + rest
    assert kinds(site, "dev-endpoint")[MODEL] == 1
    assert not leftovers(site.account)["endpoints"]

    site.aws.journal.steps.clear()
    run = site.firstword("deploy", "dev")
    assert run.returncode == 0, run.stderr
    assert MODEL not in {step.token for step in site.aws.journal.steps if step.verb == "create"}
    assert len(leftovers(site.account)["endpoints"]) == 1


def test_of_two_deployments_at_once_the_second_is_refused_with_who_is_at_it(site: Site) -> None:
    with disturbed(site.aws.journal, Gate("create", "aws:s3/bucket:Bucket")) as gate:
        first = site.start("deploy", "dev")
        assert gate.reached.wait(DEADLINE_S)
        second = site.firstword("deploy", "dev")
        gate.opened.set()
        _, told = first.communicate(timeout=2 * DEADLINE_S)
    assert second.returncode == 1
    assert "dev-foundation is being changed by another run" in second.stderr
    assert "pulumi cancel --yes --stack dev-foundation" in second.stderr
    assert first.returncode == 0, told


def test_a_stack_that_another_needs_is_not_taken_down(site: Site) -> None:
    assert site.firstword("deploy", "dev").returncode == 0
    site.aws.journal.steps.clear()
    refused = site.firstword("destroy", "dev", "--only", "endpoint")
    assert refused.returncode == 1
    assert "dev-endpoint stays: dev-agent still needs it" in refused.stderr
    for stack in ("dev-endpoint", "dev-foundation"):
        plain = site.pulumi("destroy", "--yes", "--stack", stack)
        assert plain.returncode != 0
        assert "DeleteConflict" in plain.stdout + plain.stderr
    # What was tried, and refused, is all that was tried.
    assert {step.name for step in site.aws.journal.steps if step.verb == "delete"} == {"held"}
    assert len(leftovers(site.account)["endpoints"]) == 1
