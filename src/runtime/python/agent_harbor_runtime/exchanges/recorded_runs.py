"""Begins and ends the runs that are recorded or replayed. Requests and IDs of messages are intercepted
while there is such a run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..link.connection import Connection
from ..protocol import RunExecuteParams
from .exchanges import RunExchanges, open_runs
from .http_interceptors import install_interceptors
from .message_ids import replace_message_ids
from .replaced import ReplacedAttributes

#: The functions that are replaced while there are such runs.
_replaced = ReplacedAttributes()

#: The lock is needed because runs begin and end on several threads.
_lock = threading.Lock()


def begin_exchanges(
    connection: Connection, params: RunExecuteParams, abort: Callable[[], None]
) -> RunExchanges:
    """Begins to record or replay a run. `abort` is called when a replay leaves its recording."""
    run = RunExchanges(connection, params, abort)
    with _lock:
        if not open_runs:
            install_interceptors(_replaced)
            replace_message_ids(_replaced)
        open_runs[run.run_id] = run
    return run


def end_exchanges(run: RunExchanges) -> None:
    """Records the exchanges that are still open as cut off, and ends the recording or replay."""
    for exchange in list(run.open):
        exchange.end(cut=True)
    with _lock:
        open_runs.pop(run.run_id, None)
        if not open_runs:
            _replaced.restore()
