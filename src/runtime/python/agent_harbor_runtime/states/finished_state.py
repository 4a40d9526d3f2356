"""The state of a finished run, read from its last checkpoint without asking the graph."""

from __future__ import annotations

from typing import Any

from langgraph.channels import BinaryOperatorAggregate, LastValue
from langgraph.checkpoint.base import Checkpoint

from ..checkpoints.task_result import SENDS
from ..graphs.graphs import Graph
from ..link.json_text import to_json
from ..protocol import StateSummary

#: Channels whose value in a checkpoint is what nodes read.
_PLAIN_CHANNELS = (LastValue, BinaryOperatorAggregate)


def summarize_finished(graph: Graph, checkpoint: Checkpoint) -> StateSummary | None:
    """The state after the last checkpoint of a run; None if nodes have to run, or if only LangGraph can
    read the state.
    """
    keys = graph.stream_channels_asis
    if isinstance(keys, str) or any(type(graph.channels.get(key)) not in _PLAIN_CHANNELS for key in keys):
        return None
    if not _is_finished(graph, checkpoint):
        return None
    values = checkpoint["channel_values"]
    return {
        "values": to_json({key: values[key] for key in keys if key in values}),
        "next": [],
        "interrupts": "{}",
        "checkpoint_id": checkpoint["id"],
    }


def _is_finished(graph: Graph, checkpoint: Checkpoint) -> bool:
    """Whether no node has to run: no `Send` is pending, and no node is triggered by a channel that has
    changed since the node last read it.
    """
    values: dict[str, Any] = checkpoint["channel_values"]
    if values.get(SENDS):
        return False
    versions, seen = checkpoint["channel_versions"], checkpoint["versions_seen"]
    for name, node in graph.nodes.items():
        known = seen.get(name, {})
        for channel in node.triggers:
            if channel not in values:
                continue
            version, before = versions.get(channel), known.get(channel)
            if version is not None and (before is None or version > before):  # type: ignore[operator]
                return False
    return True
