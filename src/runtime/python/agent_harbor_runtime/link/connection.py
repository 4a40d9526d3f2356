"""JSON-RPC 2.0 over the pipe to the server: one JSON document per line, a document being a message or an array of them."""

from __future__ import annotations

import asyncio
import itertools
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

from .json_text import from_json, to_json
from .pipe import Pipe

METHOD_NOT_FOUND = -32601
GRAPH_ERROR = -32000

_CONGESTED_BYTES = 8 << 20
#: The maximum number of characters of a message, well below the maximum length of a string in JavaScript.
_MAX_MESSAGE_CHARS = 450_000_000
#: The maximum number of characters of several messages in one line.
_MAX_BATCH_CHARS = 16 << 20


class RpcError(Exception):
    """An error that answers a request of either side."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class MessageTooLargeError(Exception):
    """A message is too large to be sent; no part of it was."""


class ConnectionClosed(Exception):
    """The connection closed before the answer arrived."""


class Connection:
    """Reads and writes on separate threads, so that user code that blocks an event loop does not
    delay messages. All methods may be called from any thread.
    Messages of one turn of an event loop are written together, at its end and by the loop's own
    thread, because another thread would have to wait for the interpreter lock until the loop is
    idle. If the pipe does not accept all of them, the writing thread writes the rest.
    `on_request(id, method, params)` and `on_closed()` are called on the reading thread.
    """

    def __init__(
        self,
        pipe: Pipe,
        on_request: Callable[[int, str, Any], None],
        on_closed: Callable[[], None],
    ) -> None:
        self._pipe = pipe
        self._on_request = on_request
        self._on_closed = on_closed
        self._ids = itertools.count(1)
        self._pending: dict[int, Future[Any]] = {}
        self._lock = threading.Condition()
        self._outbox: list[str] = []
        self._unwritten = b""
        self._turns: set[asyncio.AbstractEventLoop] = set()
        self._waiting_bytes = 0
        self._writing = False
        self._closed = False

    def start(self) -> None:
        for work, name in ((self._read, "harbor-reader"), (self._write, "harbor-writer")):
            thread = threading.Thread(target=work, name=name, daemon=True)
            # debugpy does not stop threads with these attributes.
            thread.pydev_do_not_trace = True  # type: ignore[attr-defined]
            thread.is_pydev_daemon_thread = True  # type: ignore[attr-defined]
            thread.start()

    def notify(self, method: str, params: Any) -> None:
        """Sends a notification; does nothing when the connection is closed. Raises
        MessageTooLargeError.
        """
        self._send(_text_of({"jsonrpc": "2.0", "method": method, "params": params}))

    def request(self, method: str, params: Any) -> Future[Any]:
        """Sends a request. The future fails with RpcError or ConnectionClosed. Raises MessageTooLargeError."""
        future: Future[Any] = Future()
        number = next(self._ids)
        text = _text_of({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with self._lock:
            if self._closed:
                future.set_exception(ConnectionClosed("The connection is closed."))
                return future
            self._pending[number] = future
        self._send(text)
        return future

    def wait(self, future: Future[Any]) -> Any:
        """Waits for the answer to a request, for code that cannot await it. Messages that would be
        written at the end of the turn are written now, because the turn does not end before the
        answer arrives.
        """
        with self._lock:
            self._lock.notify_all()
        return future.result()

    def answer(self, number: int, result: Any) -> None:
        """Answers a request of the server; with an error if the result is too large to be sent."""
        try:
            text = _text_of({"jsonrpc": "2.0", "id": number, "result": result})
        except MessageTooLargeError as error:
            data = {"name": type(error).__name__, "message": str(error)}
            self.refuse(number, RpcError(GRAPH_ERROR, str(error), data))
        else:
            self._send(text)

    def refuse(self, number: int, error: RpcError) -> None:
        """Answers a request of the server with an error."""
        body = {"code": error.code, "message": str(error), "data": error.data}
        self._send(_text_of({"jsonrpc": "2.0", "id": number, "error": body}))

    @property
    def congested(self) -> bool:
        """Whether the server reads more slowly than graphs write."""
        return self._waiting_bytes > _CONGESTED_BYTES

    def flush(self, timeout: float) -> None:
        """Waits until everything sent so far has been written, `timeout` seconds at most."""
        with self._lock:
            self._lock.wait_for(lambda: self._closed or not (self._outbox or self._unwritten or self._writing), timeout)

    def _send(self, text: str) -> None:
        with self._lock:
            if self._closed:
                return
            self._outbox.append(text)
            self._waiting_bytes += len(text)
            loop = asyncio._get_running_loop()
            if loop is None:
                self._lock.notify_all()
            elif loop not in self._turns:
                self._turns.add(loop)
                loop.call_soon(self._end_turn, loop)

    def write_now(self) -> None:
        """Writes as much as the pipe accepts, without waiting for the end of the turn."""
        with self._lock:
            self._write_some()

    def _end_turn(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            self._turns.discard(loop)
            self._write_some()

    def _write_some(self) -> None:
        """Writes as much as the pipe accepts. The caller must hold the lock."""
        if self._writing or self._unwritten or not self._outbox:
            self._lock.notify_all()
            return
        data = self._take()
        written = self._pipe.write_some(data)
        if written < len(data):
            self._unwritten = data[written:]
            self._lock.notify_all()

    def _take(self) -> bytes:
        """Takes everything that is queued."""
        messages, self._outbox = self._outbox, []
        self._waiting_bytes = 0
        return b"".join(_line(batch) for batch in _batches(messages))

    def _write(self) -> None:
        while True:
            with self._lock:
                self._writing = False
                self._lock.notify_all()
                self._lock.wait_for(lambda: self._outbox or self._unwritten or self._closed)
                if self._closed:
                    return
                data, self._unwritten = self._unwritten or self._take(), b""
                self._writing = True
            try:
                self._pipe.write(data)
            except OSError:
                return  # The reading thread handles the end of the connection.

    def _read(self) -> None:
        try:
            self._read_to_the_end()
        except Exception:
            traceback.print_exc()
        finally:
            # A runtime without a connection must exit, whatever the reason.
            self._close()

    def _read_to_the_end(self) -> None:
        unread: list[bytes] = []
        while chunk := self._pipe.read():
            first, *others = chunk.split(b"\n")
            unread.append(first)
            for part in others:
                if line := b"".join(unread):
                    self._receive(line)
                unread = [part]

    def _receive(self, line: bytes) -> None:
        try:
            document = from_json(line)
        except ValueError:
            sys.stderr.write(f"The server violated the protocol: {line[:200]!r}\n")
            return
        for message in document if isinstance(document, list) else [document]:
            if "method" in message:
                self._on_request(message.get("id", 0), message["method"], message.get("params"))
            else:
                self._settle(message)

    def _settle(self, message: dict[str, Any]) -> None:
        """Passes an answer on to the caller that waits for it, if any."""
        with self._lock:
            future = self._pending.pop(message["id"], None)
        if future is None or not _is_awaited(future):
            return
        error = message.get("error")
        if error is None:
            future.set_result(message.get("result"))
        else:
            future.set_exception(RpcError(error["code"], error["message"], error.get("data")))

    def _close(self) -> None:
        with self._lock:
            self._closed = True
            pending, self._pending = self._pending, {}
            self._lock.notify_all()
        try:
            for future in pending.values():
                if _is_awaited(future):
                    future.set_exception(ConnectionClosed("The connection is closed."))
        finally:
            self._on_closed()


def _text_of(message: dict[str, Any]) -> str:
    """JSON text of a message. Raises MessageTooLargeError."""
    text = to_json(message)
    if len(text) > _MAX_MESSAGE_CHARS:
        limit = _MAX_MESSAGE_CHARS // 1_000_000
        raise MessageTooLargeError(
            f"A value is too large to send to the server (limit: {limit} MB as JSON). "
            "Keep large data in files or in the store, and only a reference in the state."
        )
    return text


def _batches(messages: list[str]) -> Iterator[list[str]]:
    """Divides messages into batches that fit into a line of `_MAX_BATCH_CHARS`, in order."""
    batch: list[str] = []
    chars = 0
    for text in messages:
        if batch and chars + len(text) > _MAX_BATCH_CHARS:
            yield batch
            batch, chars = [], 0
        batch.append(text)
        chars += len(text)
    if batch:
        yield batch


def _line(messages: list[str]) -> bytes:
    document = messages[0] if len(messages) == 1 else f"[{','.join(messages)}]"
    return f"{document}\n".encode()


def _is_awaited(future: Future[Any]) -> bool:
    """Whether the caller still waits for the future. If it does, the future can no longer be canceled."""
    return future.set_running_or_notify_cancel()
