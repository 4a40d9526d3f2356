"""Starts the runtime: connects, loads the project's graphs, then runs event loops until the server
ends it.
"""

from __future__ import annotations

import gc
import os
import platform
import queue
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .exchanges.random_interceptor import intercept_random
from .langgraph.versions import LANGGRAPH_VERSION, OLDEST_LANGGRAPH, is_too_old
from .link.connection import GRAPH_ERROR, Connection, RpcError
from .link.pipe import open_pipe
from .link.relay import relay_known_addresses
from .loading.load_graph import add_module_paths
from .loading.loading_watch import LoadingWatch
from .process import debugger
from .process.logs import capture_logging, log
from .process.pip_command import upgrade_command
from .protocol import PROTOCOL_VERSION, FailedExtra, GraphStatus, InitializeParams, InitializeResult

if TYPE_CHECKING:
    from .extras.custom_app import CustomApp
    from .extras.custom_auth import CustomAuth
    from .extras.extras import Extras

_FD_VARIABLE = "AGENT_HARBOR_RUNTIME_FD"

#: The public platform's setting for graphs that block: every run gets an event loop of its own.
_ISOLATE_VARIABLE = "BG_JOB_ISOLATED_LOOPS"


def start() -> None:
    """Starts the runtime, and never returns. User modules are imported on the calling thread, which must
    be the main thread, and most user code runs on it.
    """
    # The server handles Ctrl-C in its terminal.
    signal.signal(signal.SIGINT, lambda *_: None)
    debugger.listen()
    relay_known_addresses()
    requests: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
    answering = _Answering(requests)
    connection = Connection(open_pipe(os.environ.pop(_FD_VARIABLE, "3")), answering, lambda: os._exit(0))
    answering.connection = connection
    connection.start()
    capture_logging(connection)
    intercept_random()
    if LANGGRAPH_VERSION is None or is_too_old():
        number, params = requests.get()
        is_missing = LANGGRAPH_VERSION is None
        connection.answer(number, _without_langgraph(params) if is_missing else _too_old(params))
        requests.get()  # The server ends this process; there is nothing to serve.
    _serve(connection, answering, requests)


class _Answering:
    """Answers requests that need no graphs, such as pings, on the reading thread. Queues
    `initialize`, and refuses other requests until the graphs have been loaded.
    """

    def __init__(self, requests: queue.SimpleQueue[tuple[int, Any]]) -> None:
        self._requests = requests
        #: Set when the connection has been made, which needs this object first.
        self.connection: Connection | None = None
        #: Takes all other requests; set when the graphs have been loaded.
        self.on_request: Any = None

    def __call__(self, number: int, method: str, params: Any) -> None:
        if self.connection is None:
            return
        if method == "ping":
            self.connection.answer(number, {})
        elif method == "initialize":
            self._requests.put((number, params))
        elif method == "debugger.open":
            self._open_debugger(number)
        elif method == "debugger.close":
            # The server starts another process, without a debugger.
            self.connection.answer(number, {})
        elif self.on_request is not None:
            self.on_request(number, method, params)
        elif method == "shutdown":
            self.connection.answer(number, {})
            self.connection.flush(1)
            os._exit(0)
        else:
            self.connection.refuse(number, RpcError(GRAPH_ERROR, "The graphs are still being loaded."))

    def _open_debugger(self, number: int) -> None:
        assert self.connection is not None
        try:
            self.connection.answer(number, {"address": debugger.address()})
        except RpcError as error:
            self.connection.refuse(number, error)


def _serve(
    connection: Connection, answering: _Answering, requests: queue.SimpleQueue[tuple[int, Any]]
) -> None:
    """Loads the project's graphs and extras, answers `initialize`, and runs event loops forever."""
    # Garbage collection takes a tenth of the time of importing LangGraph, which leaves no garbage.
    # Frozen objects are not scanned again.
    gc.disable()
    # These modules import LangGraph. They are imported here, because it may be missing, and because the
    # server prepares its first request in the meantime.
    from .context.in_process import offer
    from .costs.cost_caps import watch_models
    from .extras.custom_app import CustomApp
    from .extras.custom_auth import CustomAuth
    from .extras.extras import Extras
    from .graphs.graphs import Graphs
    from .loop.blocking import Watch
    from .loop.user_loops import UserLoops
    from .runtime import Runtime
    from .store.store import HarborStore

    watch_models()
    gc.freeze()
    gc.enable()
    number, params = requests.get()
    os.environ.update(params.get("environment", {}))
    offer(params.get("server"))
    user_loops = UserLoops(isolate=os.environ.get(_ISOLATE_VARIABLE, "").lower() in ("1", "true"))
    graphs = Graphs(HarborStore(connection))
    project_dir = Path(params["project_dir"])
    add_module_paths(project_dir, params.get("module_paths", []))
    with LoadingWatch(project_dir, lambda message: log(connection, "warning", message)):
        statuses = graphs.load(project_dir, params["graphs"])
    for graph_id in graphs.blocking_suspects():
        user_loops.note_blocking(graph_id)
    extras = Extras(project_dir, params.get("extras", {}))
    app = CustomApp(extras, connection)
    auth = CustomAuth(extras)
    answer = _initialized(LANGGRAPH_VERSION or "", statuses)
    _load_extras(extras, app, auth, answer)
    answering.on_request = Runtime(connection, graphs, user_loops, extras, app, auth).on_request
    connection.answer(number, answer)
    # A process held by a debugger is not blocked by its own code.
    if not debugger.is_debugged():
        Watch(user_loops, lambda message, call: log(connection, "warning", message, blocking=call)).start()
    user_loops.main.run()


def _load_extras(extras: Extras, app: CustomApp, auth: CustomAuth, answer: InitializeResult) -> None:
    """Loads extras now, so that failures are reported immediately and not on first use."""
    from .errors.runtime_error import describe_error

    failed: list[FailedExtra] = []
    if extras.path("auth") is not None:
        try:
            auth.load()
        except Exception as error:
            failed.append({"name": "auth", "error": describe_error(error)})
    if extras.path("http_app") is not None:
        try:
            answer["http_app"] = app.describe()
        except Exception as error:
            failed.append({"name": "http_app", "error": describe_error(error)})
    if failed:
        answer["failed_extras"] = failed


def _initialized(langgraph_version: str, statuses: list[GraphStatus]) -> InitializeResult:
    """The answer to `initialize`."""
    return {
        "protocol_version": PROTOCOL_VERSION,
        "language": "python",
        "language_version": platform.python_version(),
        "langgraph_version": langgraph_version,
        "loader": "importlib",
        "graphs": statuses,
    }


def _without_langgraph(params: InitializeParams) -> InitializeResult:
    """The answer when LangGraph is not installed."""
    message = (
        f"LangGraph is not installed in {sys.prefix} (Python {platform.python_version()}). "
        f"Install the project's dependencies there, for example with "
        f'"{sys.executable}" -m pip install langgraph, or choose another environment.'
    )
    return _failed("", params, "LangGraphMissingError", message)


def _too_old(params: InitializeParams) -> InitializeResult:
    """The answer when LangGraph is too old."""
    oldest = ".".join(map(str, OLDEST_LANGGRAPH))
    message = (
        f"LangGraph {LANGGRAPH_VERSION} in {sys.prefix} is too old. Version {oldest} or later is required. "
        f"Run this in {params['project_dir']}: {_upgrade_langgraph(Path(params['project_dir']))}"
    )
    return _failed(LANGGRAPH_VERSION or "", params, "LangGraphTooOldError", message)


def _upgrade_langgraph(folder: Path) -> str:
    """The command that updates LangGraph, by the tool that manages the project in a folder."""
    wanted = '"langgraph>=1"'
    if (folder / "uv.lock").exists():
        return f"uv add {wanted}"
    if (folder / "poetry.lock").exists():
        return f"poetry add {wanted}"
    return upgrade_command(wanted)


def _failed(version: str, params: InitializeParams, name: str, message: str) -> InitializeResult:
    """The answer when no graph can be loaded, for a reason that applies to all of them."""
    return _initialized(
        version,
        [
            {
                "status": "failed",
                "graph_id": graph_id,
                "error": {"name": name, "message": message},
            }
            for graph_id in params["graphs"]
        ],
    )
