"""Weights into the bucket: verified, once, the manifest last, and on again after a failure."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped]
import pytest
from firstword.infra import model_cache
from firstword.infra.model_cache import store_weights
from firstword.infra.weights import Weights, WeightsError, model_folder, read_weights
from infra.environments import GRAPH_SHA256, write_models
from moto import mock_aws

BUCKET = "firstword-dev-123456789012-us-west-2"
REGION = "us-west-2"


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        client = boto3.client("s3", region_name=REGION)
        client.create_bucket(
            Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION}
        )
        yield client


@pytest.fixture
def weights(models: Path) -> Weights:
    return read_weights(models, GRAPH_SHA256)


def store(weights: Weights) -> list[str]:
    said: list[str] = []
    store_weights(weights, BUCKET, REGION, said.append)
    return said


def keys(s3: Any) -> list[str]:
    found = s3.list_objects_v2(Bucket=BUCKET).get("Contents", [])
    return [entry["Key"] for entry in found]


def test_the_bucket_then_holds_what_the_folder_holds(s3: Any, weights: Weights) -> None:
    store(weights)
    expected = {weights.prefix + f.path for f in weights.files} | {weights.prefix + "manifest.json"}
    assert set(keys(s3)) == expected
    for file in weights.files:
        stored = s3.get_object(Bucket=BUCKET, Key=weights.prefix + file.path)
        assert stored["Body"].read() == (weights.folder / file.path).read_bytes()
        head = s3.head_object(Bucket=BUCKET, Key=weights.prefix + file.path, ChecksumMode="ENABLED")
        assert base64.b64decode(head["ChecksumSHA256"]).hex() == file.sha256


def test_a_second_time_nothing_is_read_and_nothing_sent(
    s3: Any, weights: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(store(weights)) == 2
    monkeypatch.setattr(model_cache, "check_contents", lambda _: pytest.fail("read again"))
    modified = {e["Key"]: e["LastModified"] for e in objects(s3)}
    assert store(weights) == []
    assert {e["Key"]: e["LastModified"] for e in objects(s3)} == modified


def objects(s3: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = s3.list_objects_v2(Bucket=BUCKET)["Contents"]
    return found


def test_the_manifest_comes_last(
    s3: Any, weights: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    real = model_cache.s3_client

    def watched(region: str) -> Any:
        client = real(region)
        client.meta.events.register(
            "before-call.s3.PutObject",
            lambda params, **_: order.append(params["url_path"].rsplit("/", 1)[-1]),
        )
        return client

    monkeypatch.setattr(model_cache, "s3_client", watched)
    store(weights)
    assert order[-1] == "manifest.json"
    assert order.count("manifest.json") == 1
    assert len(order) == 4


def test_an_upload_that_broke_goes_on_with_what_is_missing(
    s3: Any, weights: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = model_cache.s3_client

    def refusing(region: str) -> Any:
        client = real(region)

        def refuse(params: dict[str, Any], **_: Any) -> Any:
            if "voices" in params["url_path"]:
                return Refused(), {"Error": {"Code": "AccessDenied", "Message": "no"}}
            return None

        client.meta.events.register("before-call.s3.PutObject", refuse)
        return client

    with monkeypatch.context() as patched:
        patched.setattr(model_cache, "s3_client", refusing)
        with pytest.raises(WeightsError, match="run the same command again"):
            store(weights)
    assert weights.prefix + "manifest.json" not in keys(s3)
    before = {e["Key"]: e["LastModified"] for e in objects(s3)}
    assert before, "nothing had arrived, so nothing is shown to be kept"
    store(weights)
    after = {e["Key"]: e["LastModified"] for e in objects(s3)}
    assert len(after) == 4
    assert {k: after[k] for k in before} == before


class Refused:
    status_code = 403


def test_a_corrupt_file_is_found_before_anything_is_sent(s3: Any, weights: Weights) -> None:
    voice = weights.folder / "voices/af_heart.bin"
    voice.write_bytes(b"X" * voice.stat().st_size)
    with pytest.raises(WeightsError, match="corrupt"):
        store(weights)
    assert keys(s3) == []


def test_what_lies_there_with_other_bytes_is_replaced(s3: Any, weights: Weights) -> None:
    key = weights.prefix + weights.files[0].path
    s3.put_object(Bucket=BUCKET, Key=key, Body=b"half a file")
    store(weights)
    assert s3.get_object(Bucket=BUCKET, Key=key)["Body"].read() == b"a graph of the test's own"


def test_no_bucket_is_said_with_the_place(s3: Any, weights: Weights) -> None:
    with pytest.raises(WeightsError, match="s3://firstword-elsewhere"):
        store_weights(weights, "firstword-elsewhere", REGION, lambda _: None)


def test_the_place_follows_from_the_contents_and_not_from_who_derived_them(
    models: Path, tmp_path: Path
) -> None:
    here = read_weights(models, GRAPH_SHA256)
    elsewhere = read_weights(write_models(tmp_path / "b", derived=b"other bytes"), GRAPH_SHA256)
    assert here.prefix == elsewhere.prefix
    other = write_models(tmp_path / "c", graph=b"another graph")
    sha256 = json.loads((other / "manifest.json").read_text())["files"][0]["sha256"]
    assert read_weights(other, sha256).prefix != here.prefix


def test_the_folder_is_found_as_the_speech_server_finds_it(tmp_path: Path) -> None:
    from firstword.tts.models import model_dir

    for environ in (
        {"FIRSTWORD_MODEL_DIR": str(tmp_path)},
        {"XDG_CACHE_HOME": str(tmp_path)},
        {"FIRSTWORD_MODEL_DIR": "", "XDG_CACHE_HOME": ""},
        {},
    ):
        assert model_folder(environ) == model_dir(environ)


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda folder: (folder / "manifest.json").unlink(), "no model files in"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "no manifest"),
        (lambda folder: (folder / "manifest.json").write_text('{"format": 9}'), "format 9"),
        (lambda folder: (folder / "manifest.json").write_text('{"format": 1, "files": []}'), "no"),
        (lambda folder: (folder / "kokoro-int8.onnx").unlink(), "missing or incomplete"),
        (lambda folder: (folder / "kokoro-int8.onnx").write_bytes(b"a"), "missing or incomplete"),
    ],
)
def test_a_folder_that_is_not_whole_is_refused_with_the_command_that_mends_it(
    models: Path, break_it: Any, said: str
) -> None:
    break_it(models)
    with pytest.raises(WeightsError) as caught:
        read_weights(models, GRAPH_SHA256)
    assert said in str(caught.value)
    assert "firstword models fetch" in str(caught.value)
