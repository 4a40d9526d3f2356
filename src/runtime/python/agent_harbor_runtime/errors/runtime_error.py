"""Faults of the user's project, and errors in the form in which they are reported."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from typing import Any

from ..protocol import RuntimeError as WireError
from ..protocol import SourceLocation
from .source_places import OWN_FOLDER, error_place, is_user_file

#: The maximum length of an error's message, because every reader of the run gets it.
_MAX_MESSAGE_CHARS = 32_768
_MAX_STACK_CHARS = 2 * _MAX_MESSAGE_CHARS


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


def describe_error(error: BaseException) -> WireError:
    """Converts an exception to the protocol's form. Its traceback begins with the user's own code."""
    trace = traceback.TracebackException.from_exception(error)
    _keep_user_frames(trace)
    whole = _message_of(error)
    message = shorten(whole, _MAX_MESSAGE_CHARS)
    description: WireError = {"name": type(error).__name__, "message": message}
    if isinstance(error, ProjectError):
        if error.__cause__ is not None:
            description["stack"] = "".join(_cause_lines(error.__cause__))
        location = error.location
    else:
        stack = "".join(trace.format()).replace(whole, message)
        description["stack"] = shorten(stack, _MAX_STACK_CHARS)
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
        return (
            "input() cannot be used in a graph, because it has no terminal. "
            "Use LangGraph's interrupt() to ask the user."
        )
    # The class is recognized by its name, because `bdb` is loaded only if something has used it.
    if type(error).__name__ == "BdbQuit":
        return (
            "breakpoint() needs a debugger, and none is attached. Press F5 in this file in VS Code, "
            "or attach one to agent-harbor dev --debug-port."
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


def _cause_lines(error: BaseException) -> Iterable[str]:
    """The traceback of the error behind a fault of the project, shortened to the user's own code."""
    trace = traceback.TracebackException.from_exception(error)
    _keep_user_frames(trace)
    return trace.format()


def _keep_user_frames(trace: traceback.TracebackException) -> None:
    """Removes the frames before the user's code, if there is any, and all frames of this runtime
    and of importlib.
    """
    is_user = [is_user_file(frame.filename) for frame in trace.stack]
    if any(is_user):
        trace.stack[:] = trace.stack[is_user.index(True) :]
    hidden = (OWN_FOLDER, "<frozen")
    trace.stack[:] = [frame for frame in trace.stack if not frame.filename.startswith(hidden)]
    for other in (trace.__cause__, trace.__context__):
        if other is not None:
            _keep_user_frames(other)
