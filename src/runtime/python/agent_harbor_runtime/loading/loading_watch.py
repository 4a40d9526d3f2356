"""Logs which line is being executed while the graphs load, because imports can take half a minute."""

from __future__ import annotations

import linecache
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

#: The times, in seconds, at which a warning says that the graphs are still loading. Each time after these is
#: twice the one before.
_MOMENTS_S = (5, 15, 30)


class LoadingWatch:
    """A context manager that warns while graphs are still loading. It must be created on the
    thread that loads them.
    """

    def __init__(self, project_dir: Path, warn: Callable[[str], None]) -> None:
        self._project_dir = project_dir
        self._warn = warn
        self._loading = threading.get_ident()
        self._over = threading.Event()

    def __enter__(self) -> None:
        threading.Thread(target=self._watch, daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def _watch(self) -> None:
        past = 0
        for moment in _moments():
            if self._over.wait(moment - past):
                return
            past = moment
            place = place_in_project(sys._current_frames().get(self._loading), self._project_dir)
            self._warn(f"Still loading the graphs after {moment} s{place and f': {place}'}.")


def _moments() -> Iterator[int]:
    yield from _MOMENTS_S
    moment = _MOMENTS_S[-1]
    while True:
        moment *= 2
        yield moment


def place_in_project(frame: FrameType | None, project_dir: Path) -> str:
    """The line of the project's own code that is being executed, such as `agent.py:3: import torch`;
    empty if there is none.
    """
    for each in _outwards(frame):
        file = Path(each.f_code.co_filename)
        if "site-packages" in file.parts or not file.is_relative_to(project_dir):
            continue
        code = linecache.getline(str(file), each.f_lineno).strip()
        return f"{file.relative_to(project_dir)}:{each.f_lineno}{code and f': {code}'}"
    return ""


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back
