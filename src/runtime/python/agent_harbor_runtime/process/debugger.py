"""Lets a debugger attach, with the `debugpy` of the project's environment."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

from ..link.connection import GRAPH_ERROR, RpcError
from .pip_command import upgrade_command

#: Set by the server for debugging: a folder that contains debugpy, for environments without it, or
#: an empty string.
_VARIABLE = "AGENT_HARBOR_DEBUGPY"

#: The oldest supported version of debugpy.
_OLDEST = (1, 6)

_address: str | None = None
_problem = "This process was started before debugging was requested."


def listen() -> None:
    """Lets a debugger attach. Must be called before any thread or event loop begins, because the
    debugger would not see earlier ones.
    """
    global _address, _problem
    folder = os.environ.pop(_VARIABLE, None)
    if folder is None:
        return
    try:
        debugpy = _import_debugpy(folder)
        # The user's own child processes are not debugged.
        debugpy.configure(subProcess=False)
        host, port = debugpy.listen(("127.0.0.1", 0))
        _address = f"tcp://{host}:{port}"
        _refuse_breakpoints_without_client(debugpy)
    except ImportError:
        _problem = (
            f"debugpy is not installed in {sys.prefix}. Install it with: "
            f'"{sys.executable}" -m pip install debugpy'
        )
    except Exception as error:
        _problem = f"debugpy could not listen: {error}"


def _refuse_breakpoints_without_client(debugpy: Any) -> None:
    """Makes `breakpoint()` raise while no client is attached, as without debugpy. debugpy would
    silently ignore the call.
    """
    from bdb import BdbQuit  # Few processes need it.

    stop = sys.breakpointhook

    def stop_if_attached(*args: Any, **kwargs: Any) -> Any:
        if not debugpy.is_client_connected():
            raise BdbQuit
        return stop(*args, **kwargs)

    sys.breakpointhook = stop_if_attached


def is_debugged() -> bool:
    return _address is not None


def address() -> str:
    """The address for a debugger. Raises an RpcError that says why none can attach."""
    if _address is None:
        raise RpcError(GRAPH_ERROR, _problem)
    return _address


def _import_debugpy(folder: str) -> Any:
    try:
        debugpy = importlib.import_module("debugpy")
    except ImportError:
        if folder == "":
            raise
        sys.path.append(folder)
        try:
            debugpy = importlib.import_module("debugpy")
        finally:
            sys.path.remove(folder)
    found = tuple(int(part) for part in debugpy.__version__.split("+")[0].split(".")[:2])
    if found < _OLDEST:
        raise RuntimeError(
            f"version {debugpy.__version__} is too old. Update it with: {upgrade_command('debugpy')}"
        )
    return debugpy
