"""One way to compile: numba, with a cache that knows all of the engine's sources.

Numba's own cache looks at a function's file only, so a constant changed in another module would leave stale machine
code behind. The cache directory is therefore named after the contents of every source file here.
"""

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
from numba.core import caching, config

Function = TypeVar("Function", bound=Callable[..., Any])


# What compiled code is made of: its own sources and the modules whose constants it uses.
_MODULES = ("cards", "codes", "compiled", "ops", "rules", "situations", "tape")
_HERE = Path(__file__).parent
_config: Any = config
_given = bool(_config.CACHE_DIR)  # whoever sets NUMBA_CACHE_DIR has a place of their own
_LOCATOR: Final = f"{__name__}.ByContents"


@cache
def _cache_dir(package: Path) -> str:
    """The folder of a package's machine code; callers of the engine depend on the engine's sources as well."""
    sources = [_HERE / f"{name}.py" for name in _MODULES] + sorted((_HERE / "engine").glob("*.py"))
    if package != _HERE / "engine":
        sources += [_HERE / "columns.py", *sorted((_HERE / "contract").glob("*.py")), *sorted(package.glob("*.py"))]
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sources:
        digest.update(source.read_bytes())
    root = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return str(root / "audit21" / digest.hexdigest()[:16])


class ByContents(caching.UserProvidedCacheLocator):
    """Finds the cached code of a function wherever its source lies."""

    def get_cache_path(self) -> str:
        return str(_cache_dir(Path(self._py_file).parent))


def entry(function: Function) -> Function:
    """Compile a function that Python calls: cached, without the interpreter's lock."""
    if _given:
        return cast(Function, numba.njit(cache=True, nogil=True)(function))
    before = _config.CACHE_DIR, _config.CACHE_LOCATOR_CLASSES
    _config.CACHE_DIR, _config.CACHE_LOCATOR_CLASSES = "unused", _LOCATOR
    try:
        return cast(Function, numba.njit(cache=True, nogil=True)(function))
    finally:
        _config.CACHE_DIR, _config.CACHE_LOCATOR_CLASSES = before


def compiled(function: Function) -> Function:
    """Compile a function that only compiled code calls; its code is part of the entry's cache.

    NUMBA_DISABLE_JIT=1 leaves functions of all kinds as they are.
    """
    return _inner(function, forceinline=False)


def inlined(function: Function) -> Function:
    """The same for small functions on the hot path, whose call would cost more than their body."""
    return _inner(function, forceinline=True)


def _inner(function: Function, forceinline: bool) -> Function:
    if _config.DISABLE_JIT:
        return function
    # Inner functions allocate nothing: without numba's runtime, views of the scratch memory need no reference counts.
    options: dict[str, Any] = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
    return cast(Function, numba.njit(forceinline=forceinline, **options)(function))
