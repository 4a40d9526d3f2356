"""Executes and cancels runs."""

from __future__ import annotations

import asyncio
import threading
from contextlib import AsyncExitStack, suppress
from typing import Any

from ..checkpoints.checkpointer import HarborCheckpointer
from ..context.in_process import current_user, user_of
from ..costs.cost_caps import begin_cap, end_cap
from ..errors.runtime_error import describe_error
from ..exchanges.exchanges import RunExchanges
from ..exchanges.recorded_runs import begin_exchanges, end_exchanges
from ..graphs.graphs import Graphs, OpenGraph
from ..graphs.run_config import context_of, run_config, run_input, run_metadata
from ..langgraph.versions import LANGGRAPH_VERSION
from ..link.connection import Connection
from ..link.run_events import RunEvents
from ..loop.blocking import current_graph
from ..loop.user_loops import UserLoop, UserLoops
from ..process.logs import current_run, log
from ..protocol import JsonObject, RunExecuteParams, RunResult, StateSummary
from ..protocol import RuntimeError as WireError
from ..states.finished_state import summarize_finished
from ..states.state_format import summarize
from ..streams.stream_graph import GraphStream, stream_graph
from .trace_factory import trace_failed_factory


class Runs:
    """The runs of this process."""

    def __init__(self, connection: Connection, graphs: Graphs, user_loops: UserLoops) -> None:
        self._connection = connection
        self._graphs = graphs
        self._user_loops = user_loops
        self._lock = threading.Lock()
        self._active: dict[str, _Run] = {}

    def execute(self, request_id: int, params: RunExecuteParams) -> None:
        """Starts a run. The request is answered when the run ends."""
        run = _Run(self._connection, self._graphs, params)
        with self._lock:
            self._active[params["run_id"]] = run

        async def work() -> None:
            try:
                result = await run.execute()
            finally:
                with self._lock:
                    self._active.pop(params["run_id"], None)
            self._connection.answer(request_id, result)

        self._user_loops.start(params["graph_id"], work, run.started)

    def cancel(self, run_id: str) -> None:
        """Cancels a run; the answer to its execution says how it ended. Unknown runs are ignored."""
        with self._lock:
            run = self._active.get(run_id)
        if run is not None:
            run.cancel()


class _Run:
    """A run while it is executed."""

    def __init__(self, connection: Connection, graphs: Graphs, params: RunExecuteParams) -> None:
        self._connection = connection
        self._graphs = graphs
        self._params = params
        self._user_loop: UserLoop | None = None
        self._task: asyncio.Task[None] | None = None
        #: Whether the server has asked to cancel the run.
        self._cancelled = False
        #: Whether the graph is running, so that the task may be interrupted.
        self._streaming = False
        #: Whether the task was interrupted.
        self._interrupted = False
        self._exchanges: RunExchanges | None = None

    def started(self, user_loop: UserLoop, task: asyncio.Task[None]) -> None:
        """Called on the loop when the run's task exists. The loop begins it later."""
        self._user_loop, self._task = user_loop, task

    def cancel(self) -> None:
        self._cancelled = True
        self._stop()

    def _stop(self) -> None:
        """Interrupts the run on its own loop; may be called from any thread."""
        user_loop = self._user_loop
        if user_loop is not None:
            user_loop.loop.call_soon_threadsafe(self._interrupt)

    def _interrupt(self) -> None:
        # The work after the stream (reading the resulting state) is not interrupted.
        if self._streaming and self._task is not None:
            self._interrupted = True
            self._task.cancel()

    async def execute(self) -> RunResult:
        """Runs the graph to its end; errors of user code are part of the result."""
        params = self._params
        current_run.set(params["run_id"])
        current_graph.set(params["graph_id"])
        current_user.set(user_of(params["config"].get("configurable") or {}))
        metadata = run_metadata(params)
        events = RunEvents(self._connection, params["run_id"])
        if "exchanges" in params:
            self._exchanges = begin_exchanges(self._connection, params, self._stop)
        if params.get("has_cost_cap"):
            begin_cap(self._connection, params["run_id"])
        error: BaseException | None = None
        state: StateSummary | None = None
        opened: OpenGraph | None = None
        checkpointer: HarborCheckpointer | None = None
        try:
            async with AsyncExitStack() as stack:
                try:
                    self._streaming = True
                    # From here on, a cancellation interrupts the task. An earlier cancellation is only
                    # noted, because there was nothing to interrupt.
                    if self._cancelled:
                        raise asyncio.CancelledError
                    opened = await self._open(metadata, stack)
                    checkpointer = self._make_checkpointer(opened, metadata, events)
                    await self._stream(opened, checkpointer, metadata, events)
                except (Exception, asyncio.CancelledError, KeyboardInterrupt, SystemExit) as thrown:
                    error = thrown
                    if self._task is not None:
                        self._task.uncancel()
                self._streaming = False
                if opened is None and isinstance(error, Exception):
                    with suppress(Exception):  # The run ends with its own error, even if this fails.
                        await trace_failed_factory(
                            params["graph_id"], run_input(params), run_config(params, metadata), error
                        )
                try:
                    if opened is not None and checkpointer is not None:
                        state = await self._read_state(opened, checkpointer)
                except Exception as unreadable:
                    error = error or unreadable
        except (Exception, asyncio.CancelledError, KeyboardInterrupt, SystemExit) as unclosed:
            # A factory has failed to close what it had opened for the graph.
            error = error or unclosed
        events.send()
        if self._exchanges is not None:
            end_exchanges(self._exchanges)
        end_cap()
        return self._result(error, state)

    async def _open(self, metadata: JsonObject, stack: AsyncExitStack) -> OpenGraph:
        params = self._params
        return await stack.enter_async_context(
            self._graphs.open(
                params["graph_id"],
                run_config(params, metadata),
                access="threads.create_run",
                context=params["context"],
            )
        )

    def _make_checkpointer(
        self, opened: OpenGraph, metadata: JsonObject, events: RunEvents
    ) -> HarborCheckpointer:
        params = self._params
        checkpointer = HarborCheckpointer(
            self._connection,
            thread_id=params["thread_id"],
            run_id=params["run_id"],
            metadata={**metadata, "langgraph_version": LANGGRAPH_VERSION},
            durability=params["durability"],
            serde=opened.serde,
            events=events,
        )
        is_named = (params["checkpoint"] or {}).get("checkpoint_id") is not None
        checkpointer.preload(params["start_from"], is_newest=not is_named)
        return checkpointer

    async def _stream(
        self,
        opened: OpenGraph,
        checkpointer: HarborCheckpointer,
        metadata: JsonObject,
        events: RunEvents,
    ) -> None:
        params = self._params
        graph = opened.view(checkpointer)
        options: dict[str, Any] = {
            "durability": params["durability"],
            "context": context_of(params["context"], graph),
        }
        for name in ("interrupt_before", "interrupt_after"):
            if params.get(name):
                options[name] = params[name]
        await stream_graph(
            GraphStream(
                run_id=params["run_id"],
                graph=graph,
                input=run_input(params),
                config=run_config(params, metadata),
                options=options,
                modes=params["stream_modes"],
                subgraphs=params["stream_subgraphs"],
                events=events,
                is_stopped=lambda: self._interrupted,
            )
        )

    async def _read_state(self, opened: OpenGraph, checkpointer: HarborCheckpointer) -> StateSummary:
        """The state that the run has led to, read without LangGraph where that is possible."""
        if checkpointer.last_put is not None:
            finished = summarize_finished(opened.graph, checkpointer.last_put)
            if finished is not None:
                return finished
        config = {"configurable": {"thread_id": self._params["thread_id"], "checkpoint_ns": ""}}
        return summarize(await opened.view(checkpointer).aget_state(config))  # type: ignore[arg-type]

    def _result(self, error: BaseException | None, state: StateSummary | None) -> RunResult:
        if self._cancelled:
            return {"status": "cancelled", "state": state}
        if self._exchanges is not None and self._exchanges.refused is not None:
            # The run was ended for this reason.
            message = self._exchanges.refused
            log(self._connection, "error", f"ReplayDivergence: {message}", self._params["run_id"])
            divergence: WireError = {"name": "ReplayDivergence", "message": message}
            return {"status": "error", "state": state, "error": divergence}
        if error is not None:
            described = describe_error(error)
            message = described.get("stack", described["message"])
            log(self._connection, "error", message.rstrip(), self._params["run_id"])
            return {"status": "error", "state": state, "error": described}
        is_interrupted = state is not None and state["next"]
        return {"status": "interrupted" if is_interrupted else "success", "state": state}
