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

#: The maximum number of threads for synchronous nodes, tools and reducers of all runs.
_MAX_THREADS = 512


class UserLoop:
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


class UserLoops:
    """Puts work on loops. With `isolate`, no two runs share one at the same time."""

    def __init__(self, *, isolate: bool) -> None:
        self._executor = ThreadPoolExecutor(_MAX_THREADS, thread_name_prefix="node")
        self._isolate = isolate
        self._lock = threading.Lock()
        #: The graphs that are known to block their loop.
        self._blocking: set[str] = set()
        #: The first loop.
        self.main = UserLoop(self._executor)
        self._user_loops = [self.main]
        #: Set while any work is on any loop.
        self.in_use = threading.Event()

    def all(self) -> list[UserLoop]:
        with self._lock:
            return list(self._user_loops)

    def start(
        self,
        graph_id: str,
        work: Callable[[], Coroutine[Any, Any, None]],
        on_started: Callable[[UserLoop, asyncio.Task[None]], None] = lambda user_loop, task: None,
        *,
        stay: bool = False,
    ) -> None:
        """Starts work of a graph on a loop, or on the first loop if it must `stay` there. May be
        called from any thread; `on_started` runs on the loop.
        """
        user_loop = self._take(graph_id, stay)

        def begin() -> None:
            task = user_loop.loop.create_task(work())
            task.add_done_callback(lambda _: self._release(user_loop, graph_id))
            on_started(user_loop, task)

        user_loop.loop.call_soon_threadsafe(begin)

    def note_blocking(self, graph_id: str) -> None:
        """Gives later runs of this graph their own loop."""
        with self._lock:
            self._blocking.add(graph_id)

    def _take(self, graph_id: str, stay: bool) -> UserLoop:
        with self._lock:
            joinable = (user_loop for user_loop in self._user_loops if self._may_join(user_loop, graph_id))
            user_loop = self.main if stay else next(joinable, None)
            is_new = user_loop is None
            if user_loop is None:
                user_loop = UserLoop(self._executor)
                self._user_loops.append(user_loop)
            user_loop.graphs[graph_id] += 1
            self.in_use.set()
        if is_new:
            threading.Thread(target=user_loop.run, name="user-loop", daemon=True).start()
        return user_loop

    def _may_join(self, user_loop: UserLoop, graph_id: str) -> bool:
        if user_loop.is_blocked:
            return False
        if not user_loop.graphs:
            return True
        if self._isolate or graph_id in self._blocking:
            return False
        return self._blocking.isdisjoint(user_loop.graphs)

    def _release(self, user_loop: UserLoop, graph_id: str) -> None:
        with self._lock:
            user_loop.graphs[graph_id] -= 1
            user_loop.graphs += Counter()  # Drops zeros.
            if not any(user_loop.graphs for user_loop in self._user_loops):
                self.in_use.clear()
