"""The page's files: a fixed list, read once, so that no path from outside reaches the disk."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.responses import Response

_FOLDER = Path(__file__).with_name("page")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it is sent."""

    body: bytes
    media_type: str
    etag: str

    def response(self, seen_etag: str | None) -> Response:
        """The file, or 304 when the browser has it already."""
        headers = {"etag": self.etag, "cache-control": "no-cache"}
        if seen_etag == self.etag:
            return Response(status_code=304, headers=headers)
        return Response(self.body, media_type=self.media_type, headers=headers)


def load_assets() -> Mapping[str, Asset]:
    """URL path to file; ``/`` is index.html."""
    assets = {f"/{p.name}": _load(p) for p in _FOLDER.iterdir() if p.suffix in _TYPES}
    return {"/": assets.pop("/index.html"), **assets}


def _load(path: Path) -> Asset:
    body = path.read_bytes()
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return Asset(body, _TYPES[path.suffix], etag)
