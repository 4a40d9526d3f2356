"""Measures how long a thread was blocked by its own code, without the time that it waited for a CPU."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class ThreadTime:
    """The times of a thread at a moment between `began` and `ended`, in seconds. The exact moment is not
    known, because reading the times may have to wait for the interpreter's lock or a CPU.
    """

    began: float
    ended: float
    #: The total time on a CPU, and waiting for one. Only Linux reports these.
    ran: float | None = None
    waited: float = 0.0
    #: Whether the thread runs on a CPU or waits for one.
    is_runnable: bool = False


def measure(native_id: int | None) -> ThreadTime:
    """Reads the times of a thread of this process; only the clock if the system reports nothing
    else.
    """
    began = time.monotonic()
    try:
        with open(f"/proc/self/task/{native_id}/stat", encoding="utf-8", errors="replace") as file:
            state = file.read().rpartition(")")[2].split()[0]
        with open(f"/proc/self/task/{native_id}/schedstat", encoding="ascii") as file:
            ran, waited = (int(ns) / 1e9 for ns in file.read().split()[:2])
    except (OSError, ValueError, IndexError):
        return ThreadTime(began, began)
    return ThreadTime(began, time.monotonic(), ran, waited, state == "R")


def held_between(then: ThreadTime, now: ThreadTime) -> float:
    """The minimum number of seconds between two moments, without the time in which the thread
    waited for a CPU.
    """
    elapsed = now.began - then.ended
    if then.ran is None or now.ran is None:
        return elapsed
    # The system does not count a wait that has not ended.
    if now.is_runnable:
        return now.ran - then.ran
    return elapsed - (now.waited - then.waited)
