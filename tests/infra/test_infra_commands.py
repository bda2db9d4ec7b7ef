"""``firstword init`` and ``firstword cost``: files that can be read back, sums that add up."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml
from firstword.infra.__main__ import COMMANDS, main
from firstword.infra.commands.init import files
from firstword.infra.errors import InfraError, SettingError
from firstword.infra.keys import Kind
from firstword.infra.prices import PRICES_FILE, read_prices
from firstword.infra.schema import KEYS
from firstword.infra.settings import EndpointSettings, LocalSettings
from firstword.infra.stack_files import read_stack, repository_root, stacks_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "infra").mkdir()
    for path in ("Pulumi.yaml", "infra/prices.json", "infra/capacity.json"):
        shutil.copy(ROOT / path, tmp_path / path)
    monkeypatch.chdir(tmp_path / "infra")
    monkeypatch.delenv("AWS_REGION", raising=False)
    return tmp_path


def names(clone: Path) -> set[str]:
    return {p.name for p in clone.glob("Pulumi.*.yaml")}


def test_init_writes_the_three_stacks_of_an_environment(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "alice", "--region", "eu-west-1", "--account", "123456789012"]) == 0
    expected = {f"Pulumi.alice-{part}.yaml" for part in ("foundation", "endpoint", "agent")}
    assert names(clone) == expected
    written = capsys.readouterr().out.split()
    assert {Path(line).name for line in written} == expected
    for stack in stacks_of(clone, "alice"):
        settings = read_stack(clone, stack)
        assert not isinstance(settings, LocalSettings)
        assert settings.place.region == "eu-west-1"
        assert settings.place.account == "123456789012"
        assert settings.place.kind == "dev"


def test_init_of_a_docker_host_writes_one(clone: Path) -> None:
    assert main(["init", "box", "--kind", "local"]) == 0
    assert names(clone) == {"Pulumi.box.yaml"}
    assert isinstance(read_stack(clone, "box"), LocalSettings)


@pytest.mark.parametrize(
    ("name", "kind"), [("local", "local"), ("prod-eu", "prod"), ("dev", "dev"), ("bob", "dev")]
)
def test_the_kind_follows_from_the_name_unless_it_is_said(
    clone: Path, name: str, kind: str
) -> None:
    assert main(["init", name]) == 0
    first = min(clone.glob("Pulumi.*.yaml"))
    assert yaml.safe_load(first.read_text())["config"]["firstword:kind"] == kind


def test_init_never_writes_over_a_file(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (clone / "Pulumi.dev-endpoint.yaml").write_text("mine")
    assert main(["init", "dev"]) == 1
    assert names(clone) == {"Pulumi.dev-endpoint.yaml"}
    assert (clone / "Pulumi.dev-endpoint.yaml").read_text() == "mine"
    assert "nothing was written" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["Dev"], ["dev", "--region", "Oregon"], ["dev", "--account", "12"]]
)
def test_init_refuses_what_could_not_be_deployed(clone: Path, arguments: list[str]) -> None:
    assert main(["init", *arguments]) == 2
    assert names(clone) == set()


@pytest.mark.parametrize("kind", ["dev", "prod", "local"])
def test_a_written_file_shows_every_setting_and_each_line_can_be_uncommented(kind: Kind) -> None:
    shown = set()
    for stack, text in files("x", kind, "us-west-2", None).items():
        loaded = yaml.safe_load(text)["config"]
        assert set(loaded) <= {"firstword:kind", "firstword:region"}
        for line in text.splitlines():
            bare = line.removeprefix("  # ")
            if bare.startswith("firstword:"):
                ((name, value),) = yaml.safe_load(bare).items()
                assert value is not None, f"{stack}: {line}"
                shown.add(name.removeprefix("firstword:"))
            shown |= {n.removeprefix("firstword:") for n in loaded}
    rooms = {"local"} if kind == "local" else {"foundation", "endpoint", "agent"}
    assert shown == {key.name for key in KEYS if rooms & set(key.rooms)}


def test_the_examples_in_a_written_file_are_settings_that_are_taken() -> None:
    for key in KEYS:
        if key.example and "..." not in key.example:
            key.parse(key.name, yaml.safe_load(key.example))


def test_the_environments_in_the_tree_are_as_init_writes_them() -> None:
    for environment, kind in (("dev", "dev"), ("local", "local")):
        for stack, text in files(environment, kind, "us-west-2", None).items():  # type: ignore[arg-type]
            assert (ROOT / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8") == text


def test_cost_adds_up_and_says_what_stays(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["init", "prod"])
    capsys.readouterr()
    assert main(["cost", "prod", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["month"] == pytest.approx(sum(line["amount"] for line in report["lines"]), 0.01)
    prices = read_prices(clone / PRICES_FILE)
    machines = next(line for line in report["lines"] if "ml.g5.xlarge" in line["what"])
    assert machines["amount"] == pytest.approx(2 * prices.machine_month("ml.g5.xlarge"))
    doors = next(line for line in report["lines"] if "doors" in line["what"])
    assert doors["stays"]
    assert main(["cost", "prod"]) == 0
    shown = capsys.readouterr()
    assert "stays after `firstword destroy`" in shown.out
    assert prices.date in shown.err


def test_a_small_environment_costs_less(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    totals = {}
    for name in ("dev", "prod", "local"):
        main(["init", name])
        capsys.readouterr()
        main(["cost", name, "--json"])
        totals[name] = json.loads(capsys.readouterr().out)["month"]
    assert totals["local"] == 0 < totals["dev"] < totals["prod"]


def test_a_machine_without_a_price_is_named(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["init", "dev"])
    path = clone / "Pulumi.dev-endpoint.yaml"
    more = "  firstword:instanceType: ml.p5.48xlarge\n  firstword:sessionsPerInstance: 9\n"
    path.write_text(path.read_text() + more)
    assert isinstance(read_stack(clone, "dev-endpoint"), EndpointSettings)
    assert main(["cost", "dev"]) == 2
    assert "no price for ml.p5.48xlarge" in capsys.readouterr().err


def test_an_environment_that_is_not_there_is_named_with_those_that_are(clone: Path) -> None:
    with pytest.raises(InfraError, match="firstword init nobody"):
        stacks_of(clone, "nobody")
    main(["init", "dev"])
    with pytest.raises(InfraError, match="there are: dev"):
        stacks_of(clone, "nobody")


@pytest.mark.parametrize("text", ["", "config:", "config: [1]", "{", "[]"])
def test_a_file_that_is_no_stack_file_is_named(clone: Path, text: str) -> None:
    (clone / "Pulumi.dev-agent.yaml").write_text(text)
    with pytest.raises(SettingError, match=r"Pulumi\.dev-agent\.yaml"):
        read_stack(clone, "dev-agent")


def test_commands_work_from_anywhere_in_the_clone_and_nowhere_else(
    clone: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert repository_root(clone / "infra") == clone
    with pytest.raises(InfraError, match="run this in the clone"):
        repository_root(tmp_path_factory.mktemp("elsewhere"))


def test_wrong_usage_is_said_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["nothing"], ["init"], ["init", "a", "--kind", "huge"]):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 2
    capsys.readouterr()


def test_the_firstword_command_hands_on_exactly_these_commands() -> None:
    from firstword.console.commands import programs

    assert set(COMMANDS) <= set(programs.COMMANDS)
