"""The stacks of one environment, driven by the Automation API: up, destroy, what they hold."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pulumi.automation import LocalWorkspace, Stack, StackSummary
from pulumi.automation.errors import (
    CommandError,
    ConcurrentUpdateError,
    StackNotFoundError,
)

from firstword.infra.errors import InfraError
from firstword.infra.names import PARTS, Names, Part, split_stack_name, stack_name
from firstword.infra.operations.progress import Progress, View, viewing
from firstword.infra.operations.pulumi_command import InterruptibleCommand
from firstword.infra.stack_files import repository_root, stacks_of

_LOCKED_BY = re.compile(r"created by (\S+) \(pid (\d+)\) at (\S+)")
_OUR_OWN = ("pulumi:pulumi:Stack", "pulumi:providers:", "pulumi:pulumi:StackReference")

ENDPOINT = "aws:sagemaker/endpoint:Endpoint"

STOPPING = (
    "",
    (
        "stopping: what is in flight is finished first. Ctrl-C once more drops it, and then nobody "
        "knows what became of it"
    ),
    "dropping what is in flight",
)


@dataclass(frozen=True, slots=True)
class Held:
    """What a stack holds: resources of a cloud, and its outputs. Both empty where it is not up."""

    resources: tuple[str, ...]
    outputs: Mapping[str, Any]

    @property
    def stands(self) -> bool:
        """Whether there is anything to destroy."""
        return bool(self.resources)


class Stacks:
    """The stacks of an environment, in the order in which they depend on each other.

    Raises:
        InfraError: no such environment here, no Pulumi CLI, or a run that failed; the text says
            what to do. KeyboardInterrupt: somebody stopped the run, and it stopped in order.
    """

    def __init__(self, environment: str, root: Path, view: View) -> None:
        self.environment, self.root, self.view = environment, root, view
        self.names = stacks_of(root, environment)
        self._command = InterruptibleCommand()
        self._workspace = LocalWorkspace(
            work_dir=str(root), program=_program, pulumi_command=self._command
        )

    @property
    def is_local(self) -> bool:
        """Whether this is one stack on a Docker host."""
        return len(self.names) == 1

    def up(self, name: str) -> Mapping[str, Any]:
        """Bring one stack up, or go on where the last run stopped; gives its outputs."""
        progress = Progress(name, self.view)
        with self._explained(name, progress, "deploy"):
            stack = Stack.create_or_select(name, self._workspace)
            result = stack.up(on_event=progress.on_event, color="never", suppress_outputs=True)
        self.view.line(f"{name}: {_counted(result.summary.resource_changes)}", "green")
        return {key: output.value for key, output in result.outputs.items()}

    def destroy(self, name: str) -> None:
        """Take one stack down. One that is not up is no error."""
        self.refuse_while_needed(name)
        if not self.held(name).stands:
            self.view.line(f"{name}: nothing to take down")
            return
        progress = Progress(name, self.view)
        with self._explained(name, progress, "destroy"):
            stack = Stack.select(name, self._workspace)
            stack.destroy(on_event=progress.on_event, color="never", suppress_outputs=True)
        self.view.line(f"{name}: took down {progress.done}", "green")

    def forget(self, name: str) -> None:
        """Remove an empty stack from the backend; its settings stay."""
        with self._explained(name, Progress(name, self.view), "purge"):
            if name in self.summaries():
                self._workspace.remove_stack(name, preserve_config=True)

    def held(self, name: str) -> Held:
        """What a stack holds by its last state."""
        with self._explained(name, Progress(name, self.view), "deploy"):
            try:
                state = self._workspace.export_stack(name).deployment or {}
            except StackNotFoundError:
                return Held((), {})
        listed = state.get("resources") or []
        real = (r["urn"] for r in listed if r["custom"] and not r["type"].startswith(_OUR_OWN))
        whole = (r.get("outputs") or {} for r in listed if r["type"] == "pulumi:pulumi:Stack")
        return Held(tuple(real), next(whole, {}))

    def summaries(self) -> Mapping[str, StackSummary]:
        """What the backend knows of the environment's stacks, by name."""
        with self._explained(self.environment, Progress(self.environment, self.view), "status"):
            found = self._workspace.list_stacks()
        return {summary.name: summary for summary in found if summary.name in self.names}

    def part(self, part: Part) -> str:
        """The name of a part's stack. InfraError in an environment that has no parts."""
        if self.is_local:
            raise InfraError(f"{self.environment} is one stack on a Docker host: it has no {part}")
        return stack_name(self.environment, part)

    def refuse_while_needed(self, name: str) -> None:
        """InfraError when a stack that stands on this one is still up."""
        part = split_stack_name(name)[1]
        if self.is_local or part is None:
            return
        later = [stack_name(self.environment, p) for p in PARTS[PARTS.index(part) + 1 :]]
        if standing := [other for other in later if self.held(other).stands]:
            raise InfraError(
                f"{name} stays: {' and '.join(standing)} still "
                f"{'needs' if len(standing) == 1 else 'need'} it. "
                f"First: firstword destroy {self.environment}"
            )

    @contextmanager
    def _explained(self, name: str, progress: Progress, again: str) -> Iterator[None]:
        """A failure in words that help, and an interrupt as one."""
        try:
            with self._command.watching(self._stopping):
                yield
        except ConcurrentUpdateError as error:
            raise InfraError(_locked(name, str(error))) from error
        except CommandError as error:
            if self._command.interrupts:
                self.view.line(
                    f"{name}: stopped. What was made is kept; go on with: "
                    f"firstword {again} {self.environment}",
                    "yellow",
                )
                raise KeyboardInterrupt from error
            raise InfraError(
                f"{name} failed: {_reasons(progress, error)}\n"
                f"{where_to_look(self.environment, progress.failed)}"
                f"What was made is kept. Mend it, then go on with: "
                f"firstword {again} {self.environment}"
            ) from error
        if self._command.interrupts:
            raise KeyboardInterrupt

    def _stopping(self, times: int) -> None:
        self.view.line(STOPPING[min(times, 2)], "yellow")


@contextmanager
def opened(environment: str) -> Iterator[Stacks]:
    """The environment's stacks, reporting to standard error."""
    root = repository_root(Path.cwd())
    with viewing(sys.stderr) as view:
        yield Stacks(environment, root, view)


def _program() -> None:
    # Imported when it runs: pulumi-aws takes seconds, and destroy does without.
    from firstword.infra.program import main

    main()


def _counted(changes: Mapping[Any, int] | None) -> str:
    """``12 created, 3 changed``; a replacement counts once."""
    words = {"create": "created", "update": "changed", "replace": "replaced", "delete": "deleted"}
    counted = [
        f"{changes[kind]} {word}" for kind, word in words.items() if changes and kind in changes
    ]
    return ", ".join(counted) or "nothing to change"


def where_to_look(environment: str, failed: Sequence[str]) -> str:
    """What else is known about resource types that failed; empty where nothing is."""
    if ENDPOINT not in failed:
        return ""
    group = Names(environment, account="", region="").endpoint_logs
    return f"If the container did not become healthy, its log says why: {group}\n"


def _locked(name: str, text: str) -> str:
    """Who works on the stack, and what to do when nobody does any more."""
    found = _LOCKED_BY.search(text)
    who = f" ({found[1]}, process {found[2]}, since {found[3]})" if found else ""
    return (
        f"{name} is being changed by another run{who}: wait until it has ended. "
        f"If that run is gone: pulumi cancel --yes --stack {name}"
    )


def _reasons(progress: Progress, error: CommandError) -> str:
    """The engine's own reasons; else the last lines of what the CLI said."""
    if progress.faults:
        return "\n  ".join(dict.fromkeys(progress.faults))
    said = str(error).partition("stderr:")[2].strip() or str(error).strip()
    return "\n  ".join(said.splitlines()[-8:])
