"""Finds asynchronous functions that seem to block their event loop, by the calls in their code."""

from __future__ import annotations

import dis
import inspect
import time
from collections.abc import Iterator
from types import CodeType, ModuleType
from typing import Any

#: Modules whose functions wait for input or output, and that have asynchronous counterparts.
_WAITING_MODULES = {"requests", "psycopg2", "pymysql", "sqlite3", "subprocess", "urllib.request"}


def seems_to_block(function: Any) -> bool:
    """Whether an asynchronous function contains calls that are known to block, such as `time.sleep`."""
    if not inspect.iscoroutinefunction(function) and not inspect.isasyncgenfunction(function):
        return False
    function = inspect.unwrap(function)
    scope = getattr(function, "__globals__", {})
    return any(_waits(scope.get(name), attribute) for name, attribute in _globals_used(function.__code__))


def _waits(value: Any, attribute: str | None) -> bool:
    """Whether using a global, or this attribute of it, means a call that blocks."""
    if value is time.sleep or (value is time and attribute == "sleep"):
        return True
    if not isinstance(value, ModuleType):
        return False
    # After `import urllib.request`, the global is `urllib`.
    return value.__name__ in _WAITING_MODULES or f"{value.__name__}.{attribute}" in _WAITING_MODULES


def _globals_used(code: CodeType) -> Iterator[tuple[str, str | None]]:
    """The global names that code uses, each with the accessed attribute, if any."""
    instructions = list(dis.get_instructions(code))
    for at, instruction in enumerate(instructions):
        if instruction.opname == "LOAD_GLOBAL":
            after = instructions[at + 1]
            yield instruction.argval, after.argval if after.opname in ("LOAD_ATTR", "LOAD_METHOD") else None
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _globals_used(constant)
