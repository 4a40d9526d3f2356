"""Where objects of the user's project were defined, and where its errors were raised."""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import os
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import CodeType
from typing import Any

from ..protocol import SourceLocation

#: The package of this runtime.
OWN_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
#: The script that starts the runtime, beside its package.
_OWN_MAIN = os.path.join(os.path.dirname(OWN_FOLDER), "main.py")
#: The folders of installed packages.
_PACKAGE_FOLDERS = {"site-packages", "dist-packages"}
_STANDARD_LIBRARY = os.path.dirname(os.path.abspath(os.__file__))


def is_user_file(file: str) -> bool:
    """Whether a file is the user's own: not installed, and not part of Python or this runtime."""
    others = ("<", OWN_FOLDER, _STANDARD_LIBRARY, sys.prefix + os.sep + "lib")
    if file == _OWN_MAIN or file.startswith(others):
        return False
    return _PACKAGE_FOLDERS.isdisjoint(Path(file).parts)


def function_place(function: Any) -> SourceLocation | None:
    """Where a function, or the class of a callable object, was defined; None outside the user's files."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function) if callable(function) else function
    code = getattr(function, "__code__", None) or getattr(
        getattr(type(function), "__call__", None), "__code__", None
    )
    if code is None or not is_user_file(code.co_filename):
        return None
    place: SourceLocation = {"file": os.path.abspath(code.co_filename), "line": code.co_firstlineno}
    body_line = _body_line(code)
    return place if body_line is None else {**place, "body_line": body_line}


def _body_line(code: CodeType) -> int | None:
    """The line of the first instruction of the function's body, at which a debugger stops when the
    function is called.
    """
    has_begun = False
    for instruction in dis.get_instructions(code):
        if instruction.opname == "RESUME":
            has_begun = True
        elif has_begun and instruction.positions is not None:
            return instruction.positions.lineno
    return None


def name_place(file: Path, name: str) -> SourceLocation:
    """Where a module's top level assigns a name; the file's first line if it does not."""
    line = 1
    try:
        for statement in ast.parse(file.read_bytes()).body:
            if name in _names_of(statement):
                line = statement.lineno
    except (OSError, SyntaxError, ValueError):
        pass  # The file may have changed since it was imported; its first line is still a place.
    return {"file": str(file), "line": line}


def _names_of(statement: ast.stmt) -> Iterable[str]:
    """The names that a statement defines or assigns."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def error_place(error: BaseException) -> SourceLocation | None:
    """Where the user's own code raised an error, or called code that did; for a syntax error, where
    the error is.
    """
    if isinstance(error, SyntaxError) and error.filename is not None and is_user_file(error.filename):
        place: SourceLocation = {"file": os.path.abspath(error.filename), "line": error.lineno or 1}
        if error.offset:
            place["column"] = error.offset
        return place
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if is_user_file(frame.filename):
            return {"file": os.path.abspath(frame.filename), "line": frame.lineno or 1}
    return None
