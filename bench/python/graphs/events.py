"""Custom events: a thousand at once, and one whose delivery is timed."""

import asyncio
import time
from typing import TypedDict

from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    count: int


def _single(name: str, node):
    return StateGraph(State).add_node(name, node).add_edge(START, name).add_edge(name, END).compile()


async def emit(state: State) -> State:
    writer = get_stream_writer()
    for index in range(1_000):
        writer({"index": index})
    return {"count": 1}


async def work(state: State) -> State:
    # Counts from the start of the machine, so another process can compute how long the event was in transit.
    get_stream_writer()({"emitted_at_ns": str(time.clock_gettime_ns(time.CLOCK_MONOTONIC))})
    await asyncio.sleep(0.1)
    return {"count": 1}


async def compute(state: State) -> State:
    """Never yields to the event loop."""
    emitted_at = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    get_stream_writer()({"emitted_at_ns": str(emitted_at)})
    while time.clock_gettime_ns(time.CLOCK_MONOTONIC) - emitted_at < 100_000_000:
        pass
    return {"count": 1}


custom_events = _single("emit", emit)
emit_then_work = _single("work", work)
emit_then_compute = _single("compute", compute)
