"""The result of a task in a readable form."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from langgraph.types import Interrupt, Send

from ..link.json_text import to_json

#: A channel and the value written to it.
ChannelWrite = tuple[str, Any]

INTERRUPT = "__interrupt__"
ERROR = "__error__"
SENDS = "__pregel_tasks"
BRANCH = "branch:to:"
_WHOLE = ("__root__", "__end__")
_INTERNAL = re.compile(r"__|join:|branch:")


def task_result(writes: Iterable[ChannelWrite]) -> str:
    """The result of a task as readable JSON text: the update of the state, the next nodes,
    interrupts, and the error. Writes to LangGraph's internal channels are left out.
    """
    result: dict[str, Any] = {}
    update: list[ChannelWrite] = []
    goto: list[Any] = []
    interrupts: list[Any] = []
    for channel, value in writes:
        if channel in _WHOLE:
            result["update"] = value
        elif channel == SENDS:
            goto.append({"node": value.node, "input": value.arg} if isinstance(value, Send) else value)
        elif channel.startswith(BRANCH):
            goto.append(channel.removeprefix(BRANCH))
        elif channel == INTERRUPT:
            asked = value if isinstance(value, (list, tuple)) else [value]
            # The interrupts are shown without their IDs, which are new in every run.
            interrupts.extend(each.value if isinstance(each, Interrupt) else each for each in asked)
        elif channel == ERROR:
            result["error"] = error_text(value)
        elif not _INTERNAL.match(channel):
            update.append((channel, value))
    if update:
        by_key = dict(update)
        result["update"] = by_key if len(by_key) == len(update) else update
    if goto:
        result["goto"] = goto
    if interrupts:
        result["interrupts"] = interrupts
    order = ("update", "goto", "interrupts", "error")
    return to_json({name: result[name] for name in order if name in result})


def error_text(error: Any) -> str:
    """The name and the message of an error, or of LangGraph's record of one."""
    return f"{type(error).__name__}: {error}" if isinstance(error, BaseException) else str(error)
