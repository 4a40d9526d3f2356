"""How long a thread was held up by its own code: on a busy machine it also waits for a CPU, which is no fault of the code."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class ThreadTime:
    """
    A thread at some moment; times are seconds. Reading them may take long where the interpreter's lock or a CPU is waited
    for, so that the moment is only known to be between two times of the clock.
    """

    began: float
    ended: float
    #: On a CPU, and waiting for one, in all. Only Linux tells.
    ran: float | None = None
    waited: float = 0.0
    #: Whether it is on a CPU or waits for one, and not for anything else.
    is_runnable: bool = False


def measure(native_id: int | None) -> ThreadTime:
    """Reads the times of a thread of this process; only the clock where nothing tells more."""
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
    """Seconds between two moments, at least, without those in which the thread waited for a CPU."""
    elapsed = now.began - then.ended
    if then.ran is None or now.ran is None:
        return elapsed
    # A wait that has not ended is not among those that the system has counted.
    if now.is_runnable:
        return now.ran - then.ran
    return elapsed - (now.waited - then.waited)
