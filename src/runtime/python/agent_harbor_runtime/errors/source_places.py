"""Where objects of the user's project were defined, and errors in the form in which they are reported."""

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

from ..protocol import RuntimeError as WireError
from ..protocol import SourceLocation

#: The package of this runtime.
OWN_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
#: The script that starts the runtime, beside its package.
_OWN_MAIN = os.path.join(os.path.dirname(OWN_FOLDER), "main.py")
#: The maximum length of an error's message, because every reader of the run gets it.
_MAX_MESSAGE_CHARS = 32_768
_MAX_STACK_CHARS = 2 * _MAX_MESSAGE_CHARS
_NOT_THE_USERS = {"site-packages", "dist-packages"}
_STANDARD_LIBRARY = os.path.dirname(os.path.abspath(os.__file__))


class ProjectError(Exception):
    """A fault of the project's code, in one sentence for its author."""

    def __init__(self, message: str, location: SourceLocation | None = None) -> None:
        super().__init__(message)
        self.location = location


class GraphLoadError(ProjectError):
    """A graph that could not be loaded."""


class MissingPackageError(GraphLoadError):
    """A missing package; the server recognizes this name and offers to install it."""


class ReturnValueError(ProjectError):
    """The project's code returned a value of the wrong kind. The message says what to return."""


def is_user_file(file: str) -> bool:
    """Whether a file is the user's own: not installed, and not part of Python or this runtime."""
    if file == _OWN_MAIN or file.startswith(("<", OWN_FOLDER, _STANDARD_LIBRARY, sys.prefix + os.sep + "lib")):
        return False
    return _NOT_THE_USERS.isdisjoint(Path(file).parts)


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


def describe_error(error: BaseException) -> WireError:
    """Converts an exception to the protocol's form. Its traceback begins with the user's own code."""
    trace = traceback.TracebackException.from_exception(error)
    _shorten(trace)
    whole = _message_of(error)
    message = shorten(whole, _MAX_MESSAGE_CHARS)
    description: WireError = {"name": type(error).__name__, "message": message}
    if isinstance(error, ProjectError):
        if error.__cause__ is not None:
            description["stack"] = "".join(_cause_lines(error.__cause__))
        location = error.location
    else:
        stack = "".join(trace.format())
        description["stack"] = shorten(stack if message == whole else stack.replace(whole, message), _MAX_STACK_CHARS)
        location = error_place(error)
    if location is not None:
        description["location"] = location
    return description


def _message_of(error: BaseException) -> str:
    """The message of an exception; for some exceptions of Python, one that says what to do instead."""
    if isinstance(error, SystemExit):
        return (
            f"The graph's code called sys.exit({error.code!r}), which stops only this run, not the process. "
            "Raise an exception instead."
        )
    if isinstance(error, EOFError) and str(error) == "EOF when reading a line":
        return "input() cannot be used in a graph, because it has no terminal. Use LangGraph's interrupt() to ask the user."
    # The class is recognized by its name, because `bdb` is loaded only if something has used it.
    if type(error).__name__ == "BdbQuit":
        return (
            "breakpoint() needs a debugger, and none is attached. Press F5 in this file in VS Code, or attach one to "
            "agent-harbor dev --debug-port."
        )
    return str(error) or type(error).__name__


def shorten(text: str, max_chars: int) -> str:
    """Cuts off a string that is too long to report, and adds how much was left out."""
    if len(text) <= max_chars:
        return text
    return f"{text[:max_chars]} … ({len(text) - max_chars} more characters)"


def bound_error(error: Any) -> Any:
    """Shortens LangGraph's record of an error to the maximum length of a run's error."""
    if isinstance(error, BaseException):
        return error if len(str(error)) <= _MAX_MESSAGE_CHARS else shorten(repr(error), _MAX_MESSAGE_CHARS)
    return shorten(error, _MAX_MESSAGE_CHARS) if isinstance(error, str) else error


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


def _cause_lines(error: BaseException) -> Iterable[str]:
    """The traceback of the error behind a fault of the project, shortened to the user's own code."""
    trace = traceback.TracebackException.from_exception(error)
    _shorten(trace)
    return trace.format()


def _shorten(trace: traceback.TracebackException) -> None:
    """Removes the frames before the user's code, if there is any, and all frames of this runtime
    and of importlib.
    """
    is_user = [is_user_file(frame.filename) for frame in trace.stack]
    if any(is_user):
        trace.stack[:] = trace.stack[is_user.index(True) :]
    trace.stack[:] = [frame for frame in trace.stack if not frame.filename.startswith((OWN_FOLDER, "<frozen"))]
    for other in (trace.__cause__, trace.__context__):
        if other is not None:
            _shorten(other)
