"""Answers the server's requests."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from langchain_core.tracers.langchain import wait_for_all_tracers

from .context.in_process import announce
from .errors.runtime_error import describe_error
from .evaluators.evaluators import list_evaluators, run_evaluator
from .extras.custom_app import CustomApp
from .extras.custom_auth import CustomAuth
from .extras.embeddings import Embeddings
from .extras.extras import Extras
from .graphs.descriptions import Descriptions
from .graphs.graphs import Graphs
from .link.connection import GRAPH_ERROR, METHOD_NOT_FOUND, Connection, RpcError
from .loop.blocking import current_graph
from .loop.user_loops import UserLoops
from .nodes.node_runs import NodeRuns
from .runs.runs import Runs
from .states.states import States

#: The maximum time, in seconds, for sending the last spans. It is shorter than the time after which
#: the server kills a runtime that should end.
_MAX_FLUSH_S = 3

#: Work that belongs to no graph: custom routes, authentication, embeddings.
_PROJECT = ""


class Runtime:
    """Dispatches requests; called on the connection's reading thread, where nothing may take long."""

    def __init__(
        self,
        connection: Connection,
        graphs: Graphs,
        user_loops: UserLoops,
        extras: Extras,
        app: CustomApp,
        auth: CustomAuth,
    ) -> None:
        self._connection = connection
        self._user_loops = user_loops
        self._runs = Runs(connection, graphs, user_loops)
        self._nodes = NodeRuns(connection, graphs)
        states = States(connection, graphs)
        descriptions = Descriptions(graphs)
        self._handlers: dict[str, Callable[[Any], Coroutine[Any, Any, Any]]] = {
            "state.get": states.get,
            "state.history": states.read_history,
            "state.update": states.update,
            "node.input": self._nodes.read_input,
            "node.run": self._nodes.run,
            "graph.reducers": descriptions.list_reducers,
            "graph.schemas": descriptions.read_schemas,
            "graph.draw": descriptions.draw,
            "graph.subgraphs": descriptions.list_subgraphs,
            "graph.locations": descriptions.locate_graph,
            "evaluators.list": list_evaluators,
            "evaluators.run": run_evaluator,
            "store.embed": Embeddings(extras).embed,
            "http.request": app.request,
            "http.cancel": app.cancel,
            "auth.authenticate": auth.authenticate,
            "auth.authorize": auth.authorize,
        }

    def on_request(self, number: int, method: str, params: Any) -> None:
        """Takes a request. Those that take long are answered later, from another thread."""
        match method:
            case "run.execute":
                self._runs.execute(number, params)
            case "run.cancel":
                self._runs.cancel(params["run_id"])
                self._nodes.cancel(params["run_id"])
                self._connection.answer(number, {})
            case "server.address":
                announce(params["url"])
                self._connection.answer(number, {})
            case "shutdown":
                threading.Thread(target=self._shut_down, args=(number,), daemon=True).start()
            case _:
                self._handle(number, method, params)

    def _handle(self, number: int, method: str, params: Any) -> None:
        """Calls the handler of a method on an event loop, and answers with its result or error."""
        handler = self._handlers.get(method)
        if handler is None:
            self._connection.refuse(number, RpcError(METHOD_NOT_FOUND, f"Unknown method '{method}'."))
            return

        # Requests without a graph stay on one loop, because an application's resources belong to the loop
        # that it started on.
        graph_id = params.get("graph_id") or params.get("node", {}).get("graph_id", _PROJECT)

        async def work() -> None:
            current_graph.set(graph_id)
            try:
                self._connection.answer(number, await handler(params))
            except (Exception, KeyboardInterrupt, SystemExit) as error:
                description = describe_error(error)
                self._connection.refuse(number, RpcError(GRAPH_ERROR, description["message"], description))

        self._user_loops.start(graph_id, work, stay=graph_id == _PROJECT)

    def _shut_down(self, number: int) -> None:
        """Waits for the last spans to be sent, but no longer than `_MAX_FLUSH_S`, answers, and ends
        the process. Active runs are not canceled, because another process continues them from their
        last checkpoint.
        """
        flushing = threading.Thread(target=wait_for_all_tracers, daemon=True)
        flushing.start()
        flushing.join(_MAX_FLUSH_S)
        self._connection.answer(number, {})
        self._connection.flush(1)
        end_process()


def end_process() -> None:
    """Exits immediately, because user threads may never return."""
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
