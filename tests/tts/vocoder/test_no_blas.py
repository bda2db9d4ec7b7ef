"""numpy's matrix products wake BLAS's threads, which then spin on the cores that kernels need."""

import ast
from pathlib import Path

from firstword.tts.engines import vocoder

AT_LOAD = {"pack"}
"""Functions that run once, when weights are loaded."""

PRODUCTS = {"dot", "einsum", "inner", "matmul", "tensordot", "vdot"}


def test_no_product_goes_to_blas_while_audio_is_made():
    sources = sorted(Path(vocoder.__path__[0]).glob("*.py"))
    found = [place for source in sources for place in products(source)]
    assert len(sources) > 15
    assert {function for _, function in found} <= AT_LOAD, found


def products(source: Path) -> list[tuple[str, str]]:
    """(file, function) of every matrix product that numpy would do."""
    tree = ast.parse(source.read_text("utf-8"))
    return [
        (source.name, function.name)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if multiplies(node)
    ]


def multiplies(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp | ast.AugAssign):
        return isinstance(node.op, ast.MatMult)
    return (
        isinstance(node, ast.Attribute)
        and node.attr in PRODUCTS
        and ast.unparse(node.value) == "np"
    )
