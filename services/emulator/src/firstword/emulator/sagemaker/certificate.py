"""A private certificate authority, made for one run: callers trust it by its file."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from pathlib import Path

import trustme

NAMES = ("localhost", "127.0.0.1", "::1")


class Certificate:
    """A server certificate for these names and the authority that signed it. Lives in memory."""

    def __init__(self, names: Sequence[str] = NAMES) -> None:
        self._authority = trustme.CA()
        self._server = self._authority.issue_cert(*names)

    @property
    def authority_pem(self) -> bytes:
        return self._authority.cert_pem.bytes()

    def write_authority(self, path: Path) -> None:
        """Write the authority's certificate, to be named by the caller's ``SSL_CERT_FILE``."""
        self._authority.cert_pem.write_to_path(path)

    def context(self) -> ssl.SSLContext:
        """TLS for the server: HTTP/2 or HTTP/1.1, whichever the caller asks for."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["h2", "http/1.1"])
        self._server.configure_cert(context)
        return context
