"""Files over HTTPS, where the network reaches further than the package registries.

What comes is believed only when its sha256 is the pinned one, so the newest revision will do.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from firstword.tts.models.errors import ModelsCorruptError, SourceUnavailableError
from firstword.tts.models.files import chunks_of, place
from firstword.tts.models.pins import File

VOICES_URL = "https://huggingface.co/onnx-community/Kokoro-82M-v1.0-ONNX/resolve/main/voices/"
"""The same bytes as kokoro-js carries."""

GRAPH_URL = (
    "https://github.com/thewh1teagle/kokoro-onnx/releases/download/model-files-v1.0/"
    "kokoro-v1.0.int8.onnx"
)
"""Where the int8 export was published first."""

CONNECT_TIMEOUT_S = 10.0
READ_TIMEOUT_S = 60.0


def download(
    url: str, file: File, folder: Path, staging: Path, advance: Callable[[int], None]
) -> None:
    """Get ``url`` as ``file`` of ``folder``, going on with what an earlier try left in ``staging``.

    Raises:
        SourceUnavailableError: no answer, or not the file.
        ModelsCorruptError: other bytes than the pinned ones; what came is thrown away.
    """
    partial = staging / (Path(file.path).name + ".partial")
    staging.mkdir(parents=True, exist_ok=True)
    advance(partial.stat().st_size if partial.exists() else 0)
    _receive(url, partial, file.size, advance)
    try:
        place(chunks_of([partial]), folder / file.path, file.sha256)
    except ModelsCorruptError:
        partial.unlink()
        raise
    partial.unlink()


def _receive(url: str, partial: Path, size: int, advance: Callable[[int], None]) -> None:
    import httpx

    have = partial.stat().st_size if partial.exists() else 0
    if have >= size:
        return
    headers = {"Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    timeout = httpx.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
    try:
        with httpx.stream(
            "GET", url, headers=headers, timeout=timeout, follow_redirects=True
        ) as response:
            response.raise_for_status()
            resumed = response.status_code == httpx.codes.PARTIAL_CONTENT
            if have and not resumed:
                advance(-have)
            with partial.open("ab" if resumed else "wb") as out:
                for data in response.iter_raw():
                    out.write(data)
                    advance(len(data))
    except httpx.HTTPStatusError as error:
        raise SourceUnavailableError(f"{url} answered {error.response.status_code}") from error
    except httpx.HTTPError as error:
        raise SourceUnavailableError(f"{url}: {str(error) or type(error).__name__}") from error
