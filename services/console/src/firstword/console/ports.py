"""Ports on this machine: which is free, and who may be asked for one that is not."""

from __future__ import annotations

import argparse
import errno
import socket


class PortError(Exception):
    """A port cannot be had; the text says what to do about it."""


def listen(host: str, port: int, option: str) -> socket.socket:
    """A bound TCP socket; port 0 takes a free one. ``option`` names the setting in the error."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
    except OSError as error:
        sock.close()
        raise PortError(_reason(error, host, port, option)) from None
    return sock


def claim(port: int, option: str) -> int:
    """A port of 127.0.0.1 that is free now, ``port`` itself unless it is 0, for a child to bind."""
    with listen("127.0.0.1", port, option) as sock:
        return int(sock.getsockname()[1])


def _reason(error: OSError, host: str, port: int, option: str) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} is in use: stop what uses it (another firstword serve?), "
            f"or choose one with {option} (0 picks a free one)"
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"port {port} needs more rights than you have: choose one above 1023 with {option}"
    return f"cannot listen on {host}, port {port}: {error.strerror or error}"


def port_number(text: str) -> int:
    """A command line's port, 0 to 65535; for argparse's ``type``."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a port number, 0 to 65535, got {text}")
    return int(text)
