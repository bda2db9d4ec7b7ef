"""A clone of the product and an empty account: what an operator has before the first deployment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from engine import aws_provider, images
from engine.aws_world import Account
from engine.provider import StandIn, serving
from infra.environments import GRAPH_SHA256, write_models

ROOT = Path(__file__).parents[2]
COPIED = ("infra/src", "infra/__main__.py", "infra/capacity.json", "infra/prices.json")
DOCKERFILES = {"services/tts/Dockerfile": "gpu", "services/agent/Dockerfile": "agent"}
"""To the stage that is built for AWS."""
DEADLINE_S = 600.0


@dataclass
class Site:
    """One environment's clone, account and providers, and the commands that are run there."""

    root: Path
    environment: str
    account: Account
    aws: StandIn
    builder: StandIn
    env: Mapping[str, str]
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def stacks(self) -> tuple[str, str, str]:
        name = self.environment
        return f"{name}-foundation", f"{name}-endpoint", f"{name}-agent"

    def pulumi(self, *words: str) -> subprocess.CompletedProcess[str]:
        """One plain command of the CLI."""
        return self._run(["pulumi", *words, "--non-interactive"])

    def firstword(self, *words: str) -> subprocess.CompletedProcess[str]:
        """One command of ours."""
        return self._run([sys.executable, "-m", "firstword.infra", *words])

    def start(self, *words: str) -> subprocess.Popen[str]:
        """One command of ours that goes on while the test looks at it."""
        return subprocess.Popen(
            [sys.executable, "-m", "firstword.infra", *words],
            cwd=self.root,
            env={**self.env, **self.extra},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def set(self, stack: str, **settings: object) -> None:
        """Change settings in a stack's file, as an operator would."""
        path = self.root / f"Pulumi.{stack}.yaml"
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        data["config"] |= {f"firstword:{name}": value for name, value in settings.items()}
        path.write_text(yaml.safe_dump(data), encoding="utf-8")

    def change_speech_server(self, line: str) -> None:
        """Edit the sources of the speech server's image."""
        with (self.root / "services/tts/Dockerfile").open("a", encoding="utf-8") as file:
            file.write(f"\n# {line}\n")

    def new_weights(self, graph: bytes) -> None:
        """Other weights in the model folder, and pinned."""
        import hashlib

        write_models(self.root / "models", graph)
        self.set(self.stacks[1], weightsSha256=hashlib.sha256(graph).hexdigest())

    def _run(self, argv: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            argv,
            cwd=self.root,
            env={**self.env, **self.extra},
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )


@contextmanager
def opened(
    folder: Path,
    pulumi: Path,
    account: Account,
    environment: str,
    build: Callable[[Account, Path], StandIn] = images.stand_in,
) -> Iterator[Site]:
    """A fresh clone in ``folder``, its environment initialised, its providers listening."""
    root = folder / "clone"
    clone(root)
    write_models(root / "models")
    with ExitStack() as stack:
        aws = aws_provider.stand_in(account)
        builder = build(account, root / "infra")
        ports = {
            name: stack.enter_context(serving(provider))
            for name, provider in (("aws", aws), ("docker-build", builder))
        }
        env = environment_of(root, pulumi, account, ports)
        site = Site(root, environment, account, aws, builder, env)
        made = site.firstword(
            "init", environment, "--region", account.region, "--account", account.number
        )
        assert made.returncode == 0, made.stderr
        site.set(site.stacks[1], weightsSha256=GRAPH_SHA256)
        yield site


def clone(root: Path) -> None:
    """What of the tree the program reads, small."""
    unneeded = shutil.ignore_patterns("__pycache__")
    for name in COPIED:
        source, target = ROOT / name, root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=unneeded)
        else:
            shutil.copy(source, target)
    shutil.copy(ROOT / "Pulumi.yaml", root / "Pulumi.yaml")
    for name, stage in DOCKERFILES.items():
        (root / name).parent.mkdir(parents=True)
        folder = Path(name).parent
        (root / folder / "README").write_text(f"{folder}\n", encoding="utf-8")
        recipe = f"FROM scratch AS {stage}\nCOPY {folder} /{folder}\n"
        (root / name).write_text(recipe, encoding="utf-8")
    (root / ".dockerignore").write_text("*\n!services\n**/Dockerfile\n", encoding="utf-8")


def environment_of(
    root: Path, pulumi: Path, account: Account, ports: Mapping[str, int]
) -> dict[str, str]:
    """The processes' environment: this clone's code, a state in a folder, our providers."""
    state = root.parent / "state"
    state.mkdir(exist_ok=True)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "PULUMI_"))}
    venv = Path(sys.prefix)
    return {
        **kept,
        **account.env,
        "PATH": os.pathsep.join([str(pulumi), str(venv / "bin"), os.environ["PATH"]]),
        "VIRTUAL_ENV": str(venv),
        "PYTHONPATH": str(root / "infra/src"),
        "FIRSTWORD_MODEL_DIR": str(root / "models"),
        "PULUMI_BACKEND_URL": f"file://{state}",
        "PULUMI_HOME": str(root.parent / "home"),
        "PULUMI_CONFIG_PASSPHRASE": "of no worth",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DEBUG_PROVIDERS": ",".join(f"{name}:{port}" for name, port in ports.items()),
        "NO_COLOR": "1",
    }


def leftovers(account: Account) -> dict[str, list[Any]]:
    """Everything of ours in an account, by kind; empty lists where there is nothing."""
    client = account.client
    return {
        "buckets": client("s3").list_buckets()["Buckets"],
        "repositories": client("ecr").describe_repositories()["repositories"],
        "roles": client("iam").list_roles()["Roles"],
        "policies": client("iam").list_policies(Scope="Local")["Policies"],
        "alarms": client("cloudwatch").describe_alarms()["MetricAlarms"],
        "dashboards": client("cloudwatch").list_dashboards()["DashboardEntries"],
        "log groups": client("logs").describe_log_groups()["logGroups"],
        "deliveries": client("logs").describe_deliveries()["deliveries"],
        "topics": client("sns").list_topics()["Topics"],
        "models": client("sagemaker").list_models()["Models"],
        "configurations": client("sagemaker").list_endpoint_configs()["EndpointConfigs"],
        "endpoints": client("sagemaker").list_endpoints()["Endpoints"],
        "runtimes": client("bedrock-agentcore-control").list_agent_runtimes()["agentRuntimes"],
        "networks": client("ec2").describe_vpcs(
            Filters=[{"Name": "is-default", "Values": ["false"]}]
        )["Vpcs"],
        "scaling targets": client("application-autoscaling").describe_scalable_targets(
            ServiceNamespace="sagemaker"
        )["ScalableTargets"],
    }
