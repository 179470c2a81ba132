"""Tests of what changed: files of tests that changed since a commit, and those that import a module that did.

``python -m tests.changed main`` prints their paths, for ``make quick CHANGED=main``.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]


def changed(commit: str) -> list[str]:
    """List the files that differ from a commit, those that git does not know yet among them."""
    known = _git("diff", "--name-only", "--diff-filter=d", commit)
    return [*known, *_git("ls-files", "--others", "--exclude-standard")]


def affected(files: list[str], root: Path = ROOT) -> list[str]:
    """List the files of tests that a change of some files calls for."""
    modules = {path.removesuffix(".py").replace("/", ".").removesuffix(".__init__") for path in files}
    found = []
    for path in sorted((root / "tests").rglob("test_*.py")):
        name = path.relative_to(root).as_posix()
        if name in files or not modules.isdisjoint(imported(path.read_text(encoding="utf-8"))):
            found.append(name)
    return found


def imported(text: str) -> Iterator[str]:
    """Yield the modules that a module's text imports, with every name that may be one."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.split()


if __name__ == "__main__":
    print("\n".join(affected(changed(sys.argv[1]))))
