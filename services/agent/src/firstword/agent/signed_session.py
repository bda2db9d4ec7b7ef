"""Spans to AWS's own collector: requests signed as AWS wants them (Signature Version 4).

OpenTelemetry's exporter asks for it by name (entry point ``firstword_sigv4``) when
``OTEL_PYTHON_EXPORTER_OTLP_HTTP_TRACES_CREDENTIAL_PROVIDER`` says so.
"""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

import requests
from botocore.auth import SigV4Auth  # type: ignore[import-untyped]
from botocore.awsrequest import AWSRequest  # type: ignore[import-untyped]
from botocore.session import Session  # type: ignore[import-untyped]
from requests.auth import AuthBase

_HOST = re.compile(r"xray\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?")
_SIGNED = ("content-type", "content-encoding")


class NoCredentialsError(requests.RequestException):
    """There is nothing to sign with: the spans are not sent."""


class SignedForXRay(AuthBase):
    """Signs each request with credentials of the default chain, renewed as they run out."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        credentials = self._session.get_credentials()
        if credentials is None:
            raise NoCredentialsError("no AWS credentials were found")
        headers = {name: request.headers[name] for name in _SIGNED if name in request.headers}
        signed = AWSRequest(request.method, request.url, headers, request.body)
        frozen = credentials.get_frozen_credentials()
        SigV4Auth(frozen, "xray", self._region(str(request.url))).add_auth(signed)
        request.headers.update(dict(signed.headers.items()))
        return request

    def _region(self, url: str) -> str:
        """The endpoint's own, else the one that is set."""
        match = _HOST.fullmatch(urlsplit(url).hostname or "")
        told = match[1] if match else self._session.get_config_variable("region")
        return told or os.environ.get("AWS_REGION", "us-east-1")


def signed_session() -> requests.Session:
    """The session that the exporter sends by."""
    session = requests.Session()
    session.auth = SignedForXRay(Session())
    return session
