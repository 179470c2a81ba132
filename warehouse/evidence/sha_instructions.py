"""The block function of SHA-256 by the processor's own instructions, for compiled code, where it has them (x86-64)."""

from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import config, types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

_I32: Any = ir.IntType(32)
_WORDS: Any = ir.VectorType(_I32, 4)


def _features() -> set[str]:
    """What numba compiles for; "+sha" is a name that only x86 has."""
    _triple, _cpu, features = cpu_target.target_context.codegen().magic_tuple()
    return set(str(features).split(","))


def available() -> bool:
    """Whether compiled code may use them: it does not run at all under NUMBA_DISABLE_JIT."""
    settings: Any = config
    if settings.DISABLE_JIT:
        return False
    return {"+sha", "+sse4.1"} <= _features()


def block_function(constants: tuple[int, ...]) -> Any:
    """A function (state: uint32[8], block: uint8[64]) that takes one block into the state."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        state, block = (
            builder.bitcast(context.make_array(kind)(context, builder, value).data, _WORDS.as_pointer())
            for kind, value in zip(signature.args, args, strict=True)
        )
        _Block(builder, constants).take_in(state, block)
        return context.get_dummy_value()

    def typed(_typing_context: Any, state: Any, block: Any) -> Any:
        return types.none(state, block), generate

    make: Callable[[Any], Any] = intrinsic
    return make(typed)


class _Block:
    """Writes the code for one block: sixteen times four rounds on vectors of four words."""

    _SWAP: Final = "llvm.bswap.v4i32"
    _ROUNDS: Final = "llvm.x86.sha256rnds2"
    _SCHEDULE: Final = ("llvm.x86.sha256msg1", "llvm.x86.sha256msg2")

    def __init__(self, builder: Any, constants: tuple[int, ...]) -> None:
        self.builder = builder
        self.constants = constants

    def take_in(self, state: Any, block: Any) -> None:
        # They are slow by a factor of ten while the upper halves of the wide registers are in use.
        if "+avx" in _features():
            self.builder.call(self._function("llvm.x86.avx.vzeroupper", ir.FunctionType(ir.VoidType(), [])), [])
        # The instructions want the words a..h as (f e b a) and (h g d c), lowest lane first.
        low, high = self._load(state, 0), self._load(state, 1)
        abef, cdgh = self._pick(low, high, 5, 4, 1, 0), self._pick(low, high, 7, 6, 3, 2)
        ended_abef, ended_cdgh = self._rounds(abef, cdgh, block)
        abef, cdgh = self.builder.add(abef, ended_abef), self.builder.add(cdgh, ended_cdgh)
        self._store(state, 0, self._pick(abef, cdgh, 3, 2, 7, 6))
        self._store(state, 1, self._pick(abef, cdgh, 1, 0, 5, 4))

    def _rounds(self, abef: Any, cdgh: Any, block: Any) -> tuple[Any, Any]:
        words = [self._call(self._SWAP, self._load(block, i)) for i in range(4)]
        for i in range(16):
            if i >= 4:
                words.append(self._scheduled(*words[i - 4 :]))
            keyed = self.builder.add(words[i], ir.Constant(_WORDS, list(self.constants[4 * i : 4 * i + 4])))
            abef, cdgh = self._call(self._ROUNDS, cdgh, abef, keyed), abef
            abef, cdgh = self._call(self._ROUNDS, cdgh, abef, self._pick(keyed, keyed, 2, 3, 2, 3)), abef
        return abef, cdgh

    def _scheduled(self, w0: Any, w1: Any, w2: Any, w3: Any) -> Any:
        first, second = self._SCHEDULE
        partial = self.builder.add(self._call(first, w0, w1), self._pick(w2, w3, 1, 2, 3, 4))
        return self._call(second, partial, w3)

    def _call(self, name: str, *args: Any) -> Any:
        return self.builder.call(self._function(name, ir.FunctionType(_WORDS, [_WORDS] * len(args))), args)

    def _function(self, name: str, kind: Any) -> Any:
        return self.builder.module.globals.get(name) or ir.Function(self.builder.module, kind, name)

    def _pick(self, one: Any, two: Any, *lanes: int) -> Any:
        return self.builder.shuffle_vector(one, two, ir.Constant(_WORDS, list(lanes)))

    def _at(self, pointer: Any, index: int) -> Any:
        return self.builder.gep(pointer, [ir.Constant(_I32, index)], source_etype=_WORDS)

    def _load(self, pointer: Any, index: int) -> Any:
        return self.builder.load(self._at(pointer, index), align=1, typ=_WORDS)

    def _store(self, pointer: Any, index: int, value: Any) -> None:
        self.builder.store(value, self._at(pointer, index), align=1)
