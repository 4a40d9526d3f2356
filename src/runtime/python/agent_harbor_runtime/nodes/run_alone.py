"""Runs one node in LangGraph, and stores nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, empty_checkpoint
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import ParentCommand
from langgraph.types import Command, Send

from ..checkpoints.task_result import BRANCH, INTERRUPT, SENDS, ChannelWrite
from ..graphs.graphs import OpenGraph
from ..protocol import JsonObject

#: The ID under which LangGraph stores writes that belong to no task, such as those of a command.
_NO_TASK = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True)
class LoneNode:
    """A node to run alone."""

    #: Contains the node; may be a subgraph.
    opened: OpenGraph
    node: str
    input: Any
    #: The checkpoint from which the node runs; if None, it runs from an empty state.
    checkpoint: Checkpoint | None
    metadata: JsonObject
    #: The answers to the node's interrupts, in their order.
    answers: list[Any]
    config: RunnableConfig
    context: JsonObject | None


@dataclass
class LoneRun:
    """How a node that ran alone ended."""

    writes: list[ChannelWrite] = field(default_factory=list)
    is_command: bool = False
    error: BaseException | None = None


async def run_alone(lone: LoneNode) -> LoneRun:
    """A `Send` starts the node from its checkpoint, in a superstep without other tasks. Its writes go
    to LangGraph's own saver in memory, so that the thread stays unchanged.
    """
    run = LoneRun()
    saver = _Saver(run.writes, lone.opened.serde)
    graph = lone.opened.view(saver)
    graph.interrupt_before_nodes = []
    graph.cache = None
    _put_start(saver, lone, list(graph.nodes))
    outcome = _Outcome(lone.node)
    config: RunnableConfig = {**lone.config, "callbacks": [outcome]}
    following: Command[Any] = Command(goto=[Send(lone.node, lone.input)])
    answers = list(lone.answers)
    try:
        while True:
            options: dict[str, Any] = {"stream_mode": "updates", "interrupt_after": "*", "durability": "sync"}
            async for _ in graph.astream(following, config, context=lone.context, **options):
                pass
            if not answers or not any(channel == INTERRUPT for channel, _ in run.writes):
                break
            run.writes.clear()
            following = Command(resume=answers.pop(0))
    except (Exception, KeyboardInterrupt, SystemExit) as error:
        if outcome.to_parent is None:
            run.error = error
    run.is_command = outcome.is_command
    if outcome.to_parent is not None:
        run.writes = _command_writes(outcome.to_parent)
    return run


def _put_start(saver: InMemorySaver, lone: LoneNode, nodes: list[str]) -> None:
    """Stores the checkpoint from which the node runs."""
    start = lone.checkpoint
    if start is None:
        start = empty_checkpoint()
        start["channel_versions"] = {"__start__": saver.get_next_version(None, None)}
    thread_id = lone.config["configurable"]["thread_id"]
    at: RunnableConfig = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
    alone = _with_nothing_due(start, nodes)
    metadata: Any = {"source": "loop", "step": 0, "parents": {}, **lone.metadata}
    saver.put(at, alone, metadata, alone["channel_versions"])


def _with_nothing_due(checkpoint: Checkpoint, nodes: list[str]) -> Checkpoint:
    """A checkpoint with the same state, but without triggered nodes and pending `Send`s."""
    seen = checkpoint["channel_versions"]
    values = {name: value for name, value in checkpoint["channel_values"].items() if name != SENDS}
    return {
        **checkpoint,
        "channel_values": values,
        "versions_seen": {**checkpoint["versions_seen"], **{node: {**seen} for node in nodes}},
    }


class _Saver(InMemorySaver):
    """LangGraph's own saver, which also lists the writes of the graph's own tasks."""

    def __init__(self, writes: list[ChannelWrite], serde: Any) -> None:
        super().__init__(serde=serde)
        self._written = writes

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        if config["configurable"].get("checkpoint_ns", "") == "" and task_id != _NO_TASK:
            self._written.extend(writes)
        super().put_writes(config, writes, task_id, task_path)


class _Outcome(BaseCallbackHandler):
    """A callback handler that observes how a node's function ends, because its writes do not show that."""

    run_inline = True

    def __init__(self, node: str) -> None:
        self._node = node
        self._run_id: UUID | None = None
        #: Whether the node returned a `Command`.
        self.is_command = False
        #: The command from a subgraph's node to the parent graph.
        self.to_parent: Command[Any] | None = None

    def on_chain_start(
        self, serialized: Any, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        if self._run_id is None and parent_run_id is not None and kwargs.get("name") == self._node:
            self._run_id = run_id

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        if run_id == self._run_id:
            returned = outputs if isinstance(outputs, (list, tuple)) else [outputs]
            self.is_command = any(isinstance(each, Command) for each in returned)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        if run_id == self._run_id and isinstance(error, ParentCommand):
            self.is_command = True
            self.to_parent = error.args[0]


def _command_writes(command: Command[Any]) -> list[ChannelWrite]:
    """The writes of a command to the parent graph, which LangGraph does not store in the subgraph."""
    targets = command.goto if isinstance(command.goto, (list, tuple)) else [command.goto]
    return [
        *command._update_as_tuples(),
        *((SENDS, to) if isinstance(to, Send) else (f"{BRANCH}{to}", None) for to in targets),
    ]
