"""Runs inside a build: bytecode beside every source of a folder, the same bytes every time.

Python's own ``compileall`` marks what is referred to twice by counting references, which depends
on what else the process holds; marshal's version 2 has no such marks and is read as well.
"""

import importlib.util
import marshal
import sys
import warnings
from multiprocessing import Pool
from pathlib import Path

UNCHECKED_HASH = 1
"""PEP 552: believed without a look at the source, whose date says nothing here."""


def write(source: Path) -> None:
    text = source.read_bytes()
    try:
        code = compile(text, str(source), "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return  # Some packages carry files for other Pythons.
    target = Path(importlib.util.cache_from_source(source))
    target.parent.mkdir(exist_ok=True)
    head = importlib.util.MAGIC_NUMBER + UNCHECKED_HASH.to_bytes(4, "little")
    target.write_bytes(head + importlib.util.source_hash(text) + marshal.dumps(code, 2))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with Pool() as workers:
        workers.map(write, sorted(Path(sys.argv[1]).rglob("*.py")), chunksize=16)
