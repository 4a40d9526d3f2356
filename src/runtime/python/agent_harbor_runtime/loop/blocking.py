"""Notices when asynchronous user code blocks its event loop, and reports each function once."""

from __future__ import annotations

import inspect
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from types import CodeType, FrameType

from ..errors.source_places import is_user_file
from ..protocol import BlockingCall
from .user_loops import UserLoop, UserLoops
from .thread_time import ThreadTime, held_between, measure

#: How often the loops are checked.
_CHECK_INTERVAL_S = 0.1
#: Longer blocks are reported, because they delay streams and other runs noticeably.
_BLOCKED_AFTER_S = 0.25

#: The graph that the current code belongs to.
current_graph: ContextVar[str | None] = ContextVar("current_graph", default=None)


class Watch:
    """Pings every loop in use; calls `hint(message, place)` for one that does not answer."""

    def __init__(self, user_loops: UserLoops, hint: Callable[[str, BlockingCall], None]) -> None:
        self._user_loops = user_loops
        self._hint = hint
        self._asked: dict[UserLoop, ThreadTime] = {}
        #: Loops that have not answered since their code was last checked.
        self._checked: set[UserLoop] = set()
        self._reported: set[CodeType] = set()

    def start(self) -> None:
        threading.Thread(target=self._run, name="harbor-watch", daemon=True).start()

    def _run(self) -> None:
        while True:
            self._user_loops.in_use.wait()
            for user_loop in self._user_loops.all():
                self._check(user_loop)
            time.sleep(_CHECK_INTERVAL_S)

    def _check(self, user_loop: UserLoop) -> None:
        now = measure(user_loop.native_id)
        asked = self._asked.get(user_loop)
        if asked is None:
            if user_loop.graphs:
                self._asked[user_loop] = now
                user_loop.loop.call_soon_threadsafe(self._answered, user_loop)
            return
        # No run starts on a loop that does not answer, for whatever reason. The hint is only for code
        # that blocks the loop, not for a thread that waits for a CPU.
        if now.began - asked.began > _BLOCKED_AFTER_S:
            user_loop.is_blocked = True
        if user_loop not in self._checked and held_between(asked, now) > _BLOCKED_AFTER_S:
            self._checked.add(user_loop)
            self._report(user_loop)

    def _answered(self, user_loop: UserLoop) -> None:
        self._asked.pop(user_loop, None)
        self._checked.discard(user_loop)
        user_loop.is_blocked = False

    def _report(self, user_loop: UserLoop) -> None:
        """Finds the graph and the user's code that block a loop, and reports the code if it is new."""
        top = sys._current_frames().get(user_loop.thread_id or 0)
        frames = [] if top is None else list(_outwards(top))
        for frame in frames:
            graph_id = _graph_of(frame)
            if graph_id is not None:
                self._user_loops.note_blocking(graph_id)
                break
        users = [frame for frame in frames if is_user_file(frame.f_code.co_filename)]
        if not users:
            return
        codes = [frame.f_code for frame in users]
        function = next((code for code in codes if code.co_flags & inspect.CO_COROUTINE), codes[0])
        if function in self._reported:
            return
        self._reported.add(function)
        file, line = users[0].f_code.co_filename, users[0].f_lineno
        advice = (
            f"'{function.co_name}' is asynchronous but blocks its event loop, which delays "
            "all other tasks. Await an asynchronous call, use asyncio.to_thread, or make it a "
            "synchronous function, which runs in a thread."
        )
        place: BlockingCall = {"file": os.path.abspath(file), "line": line, "advice": advice}
        self._hint(f"{file}:{line}: {advice}", place)


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame and those of its callers, from the inside to the outside."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def _graph_of(frame: FrameType) -> str | None:
    """The graph whose task a loop is executing, from the context of the loop's current callback."""
    if frame.f_code.co_name != "_run" or not frame.f_code.co_filename.endswith("events.py"):
        return None
    context = getattr(frame.f_locals.get("self"), "_context", None)
    return None if context is None else context.get(current_graph)
