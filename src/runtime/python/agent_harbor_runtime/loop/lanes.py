"""Event loops for user code, one per thread.
Runs share the first loop, because HTTP clients and database pools in modules are bound to the loop
that first used them. A graph that is known to block its loop (see blocking.py) shares no loop with
other runs, and no run starts on a loop that is blocked. So a blocking call stops neither streams
nor other runs.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

#: The most threads for synchronous nodes, tools and reducers of all runs.
_MOST_THREADS = 512


class Lane:
    """One event loop in one thread, and the graphs whose work is on it."""

    def __init__(self, executor: ThreadPoolExecutor) -> None:
        self.loop = asyncio.new_event_loop()
        self.loop.set_default_executor(executor)
        self.graphs: Counter[str] = Counter()
        self.thread_id: int | None = None
        #: The thread's id in the operating system.
        self.native_id: int | None = None
        #: Set while the loop does not answer.
        self.is_blocked = False

    def run(self) -> None:
        """Runs the loop in the calling thread, forever."""
        self.thread_id = threading.get_ident()
        self.native_id = threading.get_native_id()
        asyncio.set_event_loop(self.loop)
        while True:
            try:
                self.loop.run_forever()
                return
            except (KeyboardInterrupt, SystemExit):
                # asyncio stops the loop with these errors, after their task has already failed with
                # them.
                continue


class Lanes:
    """Puts work on loops."""

    def __init__(self, *, isolate: bool) -> None:
        self._executor = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="node")
        self._isolate = isolate
        self._lock = threading.Lock()
        self._blocking: set[str] = set()
        self.main = Lane(self._executor)
        self._lanes = [self.main]
        #: Set while any work is on any lane.
        self.in_use = threading.Event()

    def all(self) -> list[Lane]:
        with self._lock:
            return list(self._lanes)

    def start(
        self,
        graph_id: str,
        work: Callable[[], Coroutine[Any, Any, None]],
        on_started: Callable[[Lane, asyncio.Task[None]], None] = lambda lane, task: None,
        *,
        stay: bool = False,
    ) -> None:
        """Starts work of a graph on a loop, or on the first loop if it must `stay` there. May be
        called from any thread; `on_started` runs on the loop.
        """
        lane = self._take(graph_id, stay)

        def begin() -> None:
            task = lane.loop.create_task(work())
            task.add_done_callback(lambda _: self._release(lane, graph_id))
            on_started(lane, task)

        lane.loop.call_soon_threadsafe(begin)

    def note_blocking(self, graph_id: str) -> None:
        """Gives later runs of this graph their own loop."""
        with self._lock:
            self._blocking.add(graph_id)

    def _take(self, graph_id: str, stay: bool) -> Lane:
        with self._lock:
            joinable = (lane for lane in self._lanes if self._may_join(lane, graph_id))
            lane = self.main if stay else next(joinable, None)
            is_new = lane is None
            if lane is None:
                lane = Lane(self._executor)
                self._lanes.append(lane)
            lane.graphs[graph_id] += 1
            self.in_use.set()
        if is_new:
            threading.Thread(target=lane.run, name="lane", daemon=True).start()
        return lane

    def _may_join(self, lane: Lane, graph_id: str) -> bool:
        if lane.is_blocked:
            return False
        if not lane.graphs:
            return True
        return not self._isolate and graph_id not in self._blocking and self._blocking.isdisjoint(lane.graphs)

    def _release(self, lane: Lane, graph_id: str) -> None:
        with self._lock:
            lane.graphs[graph_id] -= 1
            lane.graphs += Counter()  # Drops zeros.
            if not any(lane.graphs for lane in self._lanes):
                self.in_use.clear()
