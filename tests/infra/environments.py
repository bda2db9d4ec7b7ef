"""Environments as the tests of the cloud plan them: nothing of it leaves the process."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.planning import Plan, plan_stack

GRAPH = b"a graph of the test's own"
GRAPH_SHA256 = hashlib.sha256(GRAPH).hexdigest()


def write_models(folder: Path, graph: bytes = GRAPH, derived: bytes = b"derived") -> Path:
    """A small model folder with a graph, a voice and a derived file."""
    files = {
        "kokoro-int8.onnx": (graph, {"name": "graph"}),
        "voices/af_heart.bin": (b"voice" * 100, {}),
        "derived/front-abc.onnx": (derived, {"name": "front", "recipe": "abc"}),
    }
    entries = []
    for path, (data, more) in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
        sha256 = hashlib.sha256(data).hexdigest()
        entries.append({"path": path, "size": len(data), "sha256": sha256, **more})
    manifest = {"format": 1, "files": entries}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Environment:
    """Plans the three stacks of one environment one after the other."""

    models: Path
    name: str = "dev"
    kind: str = "dev"
    region: str = "us-west-2"

    def values(self, more: Mapping[str, object] | None = None) -> dict[str, object]:
        return {"kind": self.kind, "region": self.region, **(more or {})}

    def foundation(self, more: Mapping[str, object] | None = None, **options: Any) -> Plan:
        return plan_stack(
            f"{self.name}-foundation", self.values(more), models=self.models, **options
        )

    def endpoint(
        self, more: Mapping[str, object] | None = None, base: Plan | None = None, **options: Any
    ) -> Plan:
        base = base or self.foundation()
        return plan_stack(
            f"{self.name}-endpoint",
            self.values({"weightsSha256": GRAPH_SHA256, **(more or {})}),
            models=self.models,
            stacks={f"{self.name}-foundation": base.exports},
            **options,
        )

    def agent(
        self,
        more: Mapping[str, object] | None = None,
        base: Plan | None = None,
        endpoint: Plan | None = None,
        **options: Any,
    ) -> Plan:
        base = base or self.foundation()
        endpoint = endpoint or self.endpoint(base=base)
        return plan_stack(
            f"{self.name}-agent",
            self.values(more),
            models=self.models,
            stacks={
                f"{self.name}-foundation": base.exports,
                f"{self.name}-endpoint": endpoint.exports,
            },
            **options,
        )

    def everything(self) -> list[Plan]:
        base = self.foundation()
        endpoint = self.endpoint(base=base)
        return [base, endpoint, self.agent(base=base, endpoint=endpoint)]
