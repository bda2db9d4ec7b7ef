"""Weights into the bucket: verified, once for each set of files, the manifest last.

A prefix with a manifest is whole. Two uploads of the same set write the same keys, and one that was
stopped goes on with the files that are missing. boto3 rather than resources of the graph: a cache
has no owner, and weights must outlive the endpoint that first asked for them.
"""

from __future__ import annotations

import asyncio
import base64
import contextvars
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import boto3  # type: ignore[import-untyped]
import pulumi
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

from firstword.infra.weights import (
    MANIFEST,
    WeightFile,
    Weights,
    WeightsError,
    check_contents,
)

logger = logging.getLogger(__name__)

PARALLEL = 8
CONNECT_S, READ_S = 10.0, 120.0


class Store(Protocol):
    """How weights get into a bucket; blocks until they are there."""

    def __call__(self, weights: Weights, bucket: str, region: str, say: Say) -> None: ...


type Say = Callable[[str], None]
"""Told how far the upload is, one sentence at a time."""


def s3_client(region: str) -> Any:
    """A client with deadlines."""
    return boto3.client(
        "s3",
        region_name=region,
        config=Config(
            connect_timeout=CONNECT_S,
            read_timeout=READ_S,
            retries={"mode": "standard", "total_max_attempts": 5},
            max_pool_connections=PARALLEL,
        ),
    )


def store_weights(weights: Weights, bucket: str, region: str, say: Say) -> None:
    """Make sure that ``bucket`` holds the weights below their prefix.

    Raises:
        WeightsError: a file is corrupt, or S3 refuses; what has arrived is kept.
    """
    client = s3_client(region)
    where = f"s3://{bucket}/{weights.prefix}"
    try:
        if _has(client, bucket, weights.prefix + MANIFEST):
            logger.debug("prefix=<%s> | weights are there already", weights.prefix)
            return
        check_contents(weights)
        size = sum(file.size for file in weights.files)
        say(f"weights: {len(weights.files)} files, {size / 1e6:.0f} MB to {where}")
        with ThreadPoolExecutor(PARALLEL) as pool:
            futures = [pool.submit(_store, client, bucket, weights, file) for file in weights.files]
            for future in futures:
                future.result()
        client.put_object(
            Bucket=bucket,
            Key=weights.prefix + MANIFEST,
            Body=(weights.folder / MANIFEST).read_bytes(),
            ContentType="application/json",
        )
        say(f"weights: complete in {where}")
    except (BotoCoreError, ClientError) as error:
        raise WeightsError(
            f"the weights could not be stored in {where}: {error}. "
            "What has arrived is kept: run the same command again"
        ) from error


def _store(client: Any, bucket: str, weights: Weights, file: WeightFile) -> None:
    """Put one file; S3 compares the sha256 itself. What lies there with it already is kept."""
    checksum = base64.b64encode(bytes.fromhex(file.sha256)).decode()
    key = weights.prefix + file.path
    if _checksum(client, bucket, key) == checksum:
        return
    with (weights.folder / file.path).open("rb") as body:
        client.put_object(
            Bucket=bucket,
            Key=key,
            Body=body,
            ContentLength=file.size,
            ChecksumAlgorithm="SHA256",
            ChecksumSHA256=checksum,
        )


def _has(client: Any, bucket: str, key: str) -> bool:
    return _head(client, bucket, key) is not None


def _checksum(client: Any, bucket: str, key: str) -> str | None:
    head = _head(client, bucket, key)
    return head.get("ChecksumSHA256") if head else None


def _head(client: Any, bucket: str, key: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = client.head_object(Bucket=bucket, Key=key, ChecksumMode="ENABLED")
    except ClientError as error:
        if error.response["Error"]["Code"] in ("404", "NoSuchKey", "NotFound"):
            return None
        raise
    return found


def stored_in(
    bucket: pulumi.Output[str], weights: Weights, region: str, store: Store
) -> pulumi.Output[str]:
    """Where the weights lie, ``s3://BUCKET/PREFIX/``, known once they do; a preview stores nothing.

    What needs this address (the model) is not made before the upload is complete, by plain
    `pulumi up` as well.
    """

    async def stored(name: str) -> str:
        if not pulumi.runtime.is_dry_run():
            await _store_beside(store, weights, name, region)
        return f"s3://{name}/{weights.prefix}"

    return bucket.apply(stored)


async def _store_beside(store: Store, weights: Weights, bucket: str, region: str) -> None:
    """Upload in a thread, with its progress told on the engine's loop."""
    loop, context = asyncio.get_running_loop(), contextvars.copy_context()

    def say(text: str) -> None:
        loop.call_soon_threadsafe(pulumi.log.info, text, context=context)

    try:
        await asyncio.to_thread(store, weights, bucket, region, say)
    except WeightsError as error:
        raise pulumi.RunError(str(error)) from error
