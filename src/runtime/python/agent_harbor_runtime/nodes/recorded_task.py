"""A task of a node, read from its checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from langgraph.channels.base import BaseChannel
from langgraph.checkpoint.base import CheckpointTuple as SavedCheckpoint
from langgraph.types import PregelTask, Send, StateSnapshot

from ..checkpoints.task_result import ERROR, INTERRUPT, SENDS, ChannelWrite
from ..graphs.graphs import Graph
from ..protocol import NodeParams

_ROOT = "__root__"
_PUSH = "__pregel_push"
_RESUME = "__resume__"
#: The assumed recursion limit, for nodes that read how many steps remain.
_RECURSION_LIMIT = 25


@dataclass(frozen=True)
class RecordedTask:
    """A task of a node."""

    #: The input of the node; None when it is not known.
    input: Any
    #: Whether the input came with a `Send`, so that it is not part of the state.
    is_sent: bool
    writes: list[ChannelWrite]
    #: The answers to the task's interrupts, in order.
    answers: list[Any]


def recorded_task(
    graph: Graph, params: NodeParams, saved: SavedCheckpoint, snapshot: StateSnapshot
) -> RecordedTask:
    """Finds the requested task of a node in a checkpoint, with the input that the current code would
    give it.
    """
    named = [task for task in snapshot.tasks if task.name == params["node"]]
    wanted = params.get("task_id")
    task = next((each for each in named if each.id == wanted), named[0] if len(named) == 1 else None)
    # The current code may give the task another ID, but its writes have the recorded one.
    task_id = wanted or (task.id if task else None)
    own = [(channel, value) for owner, channel, value in saved.pending_writes or [] if owner == task_id]
    answers: list[Any] = []
    for channel, value in own:
        if channel == _RESUME:
            answers.extend(value if isinstance(value, (list, tuple)) else [value])
    sent = _sent_to(graph, params["node"], task, saved)
    given = _read_input(graph, params["node"], saved, snapshot) if sent is None else sent.arg
    return RecordedTask(given, sent is not None, _last_writes(own), answers)


def _last_writes(writes: list[ChannelWrite]) -> list[ChannelWrite]:
    """Omits earlier interrupts and errors of a task that eventually finished."""
    finished = [write for write in writes if write[0] not in (INTERRUPT, ERROR, _RESUME)]
    return finished or writes


def _sent_to(graph: Graph, node: str, task: PregelTask | None, saved: SavedCheckpoint) -> Send | None:
    """The `Send` that makes a task; without the task, the first pending `Send` to the node."""
    sends = [send for send in _read_channel(graph, SENDS, saved) or [] if isinstance(send, Send)]
    if task is None:
        return next((send for send in sends if send.node == node), None)
    path = tuple(task.path)
    if len(path) < 2 or path[0] != _PUSH or not isinstance(path[1], int) or path[1] >= len(sends):
        return None
    return sends[path[1]]


def _read_input(graph: Graph, node: str, saved: SavedCheckpoint, snapshot: StateSnapshot) -> Any:
    """The input that a node reads from the state."""
    channels = graph.nodes[node].channels

    def read(channel: str) -> Any:
        if channel == _ROOT:
            return snapshot.values
        if isinstance(snapshot.values, dict) and channel in snapshot.values:
            return snapshot.values[channel]
        spec: Any = graph.channels.get(channel)
        if not isinstance(spec, BaseChannel) and hasattr(spec, "get"):
            # A managed value, such as the steps that remain.
            return spec.get(SimpleNamespace(step=0, stop=_RECURSION_LIMIT))
        return _read_channel(graph, channel, saved)

    if isinstance(channels, str):
        return read(channels)
    values = {channel: read(channel) for channel in channels}
    return {channel: value for channel, value in values.items() if value is not None}


def _read_channel(graph: Graph, name: str, saved: SavedCheckpoint) -> Any:
    """The value of a channel in a checkpoint; None when it is empty."""
    stored = saved.checkpoint["channel_values"].get(name)
    spec: Any = graph.channels.get(name)
    if stored is None or not isinstance(spec, BaseChannel):
        return None
    channel = spec.from_checkpoint(stored)
    return channel.get() if channel.is_available() else None
