"""How kernels are compiled: ahead of use, without the GIL, kept in a folder for this very CPU."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import llvmlite  # type: ignore[import-untyped]
import llvmlite.binding  # type: ignore[import-untyped]
import numba
import numba.extending
from numba import njit

_FAST = {"contract", "nnan", "ninf", "nsz", "arcp"}
"""No reassociation: the range reduction of the sine and the order of sums must stay as written."""


def kernel[F: Callable[..., Any]](function: F) -> F:
    """``function`` compiled at its first call, or read from the folder that `keep_in` named."""
    return _compiled(function, _FAST)


def rounding_kernel[F: Callable[..., Any]](function: F) -> F:
    """A `kernel` in which every product and quotient is rounded as written."""
    return _compiled(function, _FAST - {"contract", "arcp"})


def _compiled[F: Callable[..., Any]](function: F, fastmath: set[str]) -> F:
    return cast(F, njit(nogil=True, cache=True, error_model="numpy", fastmath=fastmath)(function))


def intrinsic[F: Callable[..., Any]](function: F) -> Callable[..., Any]:
    """``function(typing_context, *types)`` as a numba intrinsic; integer constants stay literal."""
    return cast(Callable[..., Any], numba.extending.intrinsic(prefer_literal=True)(function))


def folder_in(folder: Path) -> Path:
    """The folder under ``folder`` for what these sources, this compiler and this CPU make.

    numba looks only at a kernel's own source file to tell whether it is stale; so the name holds a
    digest of all of them.
    """
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    cpu = llvmlite.binding.get_host_cpu_name()
    features = llvmlite.binding.get_host_cpu_features().flatten()
    digest.update(f"{numba.__version__} {llvmlite.__version__} {cpu} {features}".encode())
    return folder / f"{cpu}-{digest.hexdigest()[:16]}"


def keep_in(folder: Path) -> Path:
    """Keep compiled kernels in `folder_in`, and say where that is; call it before any module with
    kernels is imported."""
    place = folder_in(folder)
    place.mkdir(parents=True, exist_ok=True)
    numba.config.CACHE_DIR = str(place)  # type: ignore[attr-defined]
    return place
