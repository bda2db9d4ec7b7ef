"""An image is built again exactly when something that it can be made of has changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from firstword.infra.build_context import (
    context_files,
    hash_context,
    ignore_file,
    is_ignored,
    read_patterns,
)
from firstword.infra.images import AGENT_IMAGE, SPEECH_IMAGE, Recipe

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("patterns", "path", "ignored"),
    [
        ("*.pyc", "a.pyc", True),
        ("*.pyc", "src/a.pyc", False),
        ("**/*.pyc", "src/deep/a.pyc", True),
        ("**/*.pyc", "a.pyc", True),
        ("**/__pycache__", "src/x/__pycache__/a.pyc", True),
        ("docs", "docs/adr/1.md", True),
        ("/docs/", "docs/adr/1.md", True),
        ("docs", "more/docs/1.md", False),
        ("*\n!libs", "libs/x.py", False),
        ("*\n!libs", "bench/x.py", True),
        ("*\n!libs\nlibs/*/tests", "libs/a/tests/t.py", True),
        ("*\n!a/b/c.py", "a/b/c.py", False),
        ("*\n!a/b/c.py", "a/b/d.py", True),
        ("# a comment\n\n  x  ", "x", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("", "anything", False),
    ],
)
def test_patterns_mean_what_docker_says(patterns: str, path: str, ignored: bool) -> None:
    assert is_ignored(path, read_patterns(patterns)) is ignored


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for path, text in {
        "libs/a/x.py": "x = 1",
        "libs/a/__pycache__/x.pyc": "cache",
        "services/tts/Dockerfile": "FROM scratch",
        "services/tts/y.py": "y = 1",
        ".venv/lib/big.py": "big",
        "README.md": "read me",
        ".dockerignore": "*\n!libs\n!services\n**/__pycache__\n**/Dockerfile",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def hashed(tree: Path) -> str:
    return hash_context(tree, tree / "services/tts/Dockerfile")


def test_only_what_a_build_sees_counts(tree: Path) -> None:
    patterns = read_patterns((tree / ".dockerignore").read_text())
    assert list(context_files(tree, patterns)) == ["libs/a/x.py", "services/tts/y.py"]
    before = hashed(tree)
    (tree / "README.md").write_text("read me again")
    (tree / "libs/a/__pycache__/x.pyc").write_text("another cache")
    (tree / ".venv/lib/big.py").write_text("bigger")
    assert hashed(tree) == before


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("libs/a/x.py", "x = 2"),
        ("libs/a/new.py", ""),
        ("services/tts/Dockerfile", "FROM other"),
    ],
)
def test_what_a_build_sees_counts_whole(tree: Path, path: str, text: str) -> None:
    before = hashed(tree)
    (tree / path).write_text(text)
    assert hashed(tree) != before


def test_names_modes_and_links_count(tree: Path) -> None:
    seen = {hashed(tree)}
    (tree / "libs/a/x.py").rename(tree / "libs/a/z.py")
    seen.add(hashed(tree))
    (tree / "libs/a/z.py").chmod(0o755)
    seen.add(hashed(tree))
    (tree / "libs/a/link.py").symlink_to("z.py")
    seen.add(hashed(tree))
    assert len(seen) == 4


def test_an_ignore_file_beside_the_dockerfile_goes_before_the_folders(tree: Path) -> None:
    dockerfile = tree / "services/tts/Dockerfile"
    assert ignore_file(dockerfile, tree) == tree / ".dockerignore"
    own = tree / "services/tts/Dockerfile.dockerignore"
    own.write_text("**")
    assert ignore_file(dockerfile, tree) == own


@pytest.mark.parametrize("recipe", [SPEECH_IMAGE, AGENT_IMAGE], ids=lambda r: r.name)
def test_the_recipes_name_what_is_there(recipe: Recipe) -> None:
    dockerfile = (ROOT / recipe.dockerfile).read_text(encoding="utf-8")
    if recipe.target is not None:
        assert f" AS {recipe.target}\n" in dockerfile
    ignored = ignore_file(ROOT / recipe.dockerfile, ROOT)
    assert ignored is not None
    seen = set(context_files(ROOT, read_patterns(ignored.read_text(encoding="utf-8"))))
    assert f"services/{recipe.name}/pyproject.toml" in seen
    assert not [path for path in seen if "__pycache__" in path or path.startswith("infra/")]
    assert len(seen) < 2000
