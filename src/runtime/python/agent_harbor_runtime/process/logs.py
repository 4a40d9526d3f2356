"""Sends Python's log records and warnings to the deployment's log, with their levels."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from typing import Any

from ..errors.runtime_error import shorten
from ..link.connection import Connection
from ..protocol import BlockingCall, LogParams

#: Maximum length of a log message.
_MAX_CHARS = 65_536

#: The run that the current code belongs to. Tasks and threads that a run starts inherit it.
current_run: ContextVar[str | None] = ContextVar("current_run", default=None)


def log(
    connection: Connection,
    level: str,
    message: str,
    run_id: str | None = None,
    blocking: BlockingCall | None = None,
) -> None:
    """Sends a message to the deployment's log. `blocking` is the call that it warns about."""
    params: dict[str, Any] = {"level": level, "message": shorten(message, _MAX_CHARS)}
    if run_id is not None:
        params["run_id"] = run_id
    if blocking is not None:
        params["blocking"] = blocking
    connection.notify("log", params)


class LogHandler(logging.Handler):
    """A handler that sends log records to the server. The user's own logging configuration
    replaces it.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__(logging.WARNING)
        self._connection = connection

    def emit(self, record: logging.LogRecord) -> None:
        level = "error" if record.levelno >= logging.ERROR else "warning"
        log(self._connection, level, f"{record.name}: {self.format(record)}", current_run.get())


def capture_logging(connection: Connection) -> None:
    """Sends records that no handler of the user takes, and all warnings."""
    handler = LogHandler(connection)
    logging.lastResort = handler
    logging.captureWarnings(True)
    logging.getLogger("py.warnings").addHandler(handler)
