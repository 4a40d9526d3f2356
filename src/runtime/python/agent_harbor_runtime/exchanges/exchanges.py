"""The HTTP requests of runs that are recorded, or answered from a recording, and their random
values.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cached_property
from os import environ
from typing import Any
from uuid import UUID

from langchain_core.runnables.config import var_child_runnable_config

from ..link.connection import Connection
from ..process.logs import current_run
from ..protocol import (
    ExchangeAnswer,
    ExchangeChunks,
    ExchangeError,
    ExchangePlace,
    ExchangeRequest,
    ExchangeResponse,
    RunExecuteParams,
)
from .bodies import decompress, headers_of_plain, read_pieces, to_body, to_chunks
from .failures import describe_failure
from .ids_in_state import ids_in_state

#: The number of ordinals that each attempt may use, so that the ordinals of a later attempt follow all
#: earlier ones.
_ORDINALS_PER_ATTEMPT = 1_000_000

#: Larger bodies are recorded in parts of about this size.
_PART_BYTES = 1_048_576

#: Makes a client's error from the recorded one.
Fail = Callable[[ExchangeError | None], Exception]


class ReplayDivergence(Exception):
    """A replay sent a request that was not recorded, which ends the run."""


class RunExchanges:
    """The requests of one run, and its random values."""

    def __init__(self, connection: Connection, params: RunExecuteParams, abort: Callable[[], None]) -> None:
        wanted = params["exchanges"]
        self.run_id = params["run_id"]
        self.is_replay = wanted["mode"] == "replay"
        #: Why the run was ended, if its recording does not answer a request.
        self.refused: str | None = None
        #: Open exchanges; they are recorded when the run ends.
        self.open: set[OpenExchange] = set()
        self._seed = wanted["seed"]
        #: The state that the run starts from. It may contain UUIDs of this run, from an earlier
        #: attempt or from the recording.
        self._start_from = params["start_from"]
        self._connection = connection
        self._abort = abort
        self._lock = threading.Lock()
        self._ordinal = (params["attempt"] - 1) * _ORDINALS_PER_ATTEMPT
        self._counts: Counter[str] = Counter()

    def random_uuid(self, purpose: str) -> UUID:
        """A UUID that is the same in a replay. UUIDs of the start state are skipped, because
        LangGraph would take two messages with the same ID for one.
        """
        while True:
            drawn = UUID(bytes=self.random_bytes(purpose), version=4)
            if str(drawn) not in self._ids_before:
                return drawn

    @cached_property
    def _ids_before(self) -> frozenset[str]:
        """The UUIDs in the start state; read when the first UUID is drawn."""
        return ids_in_state(self._start_from)

    def random_bytes(self, purpose: str) -> bytes:
        """16 bytes that are the same in a replay, derived from the seed, the purpose, the place,
        and the number of earlier calls with the same purpose and place.
        """
        place = current_place()
        name = f"{purpose}\n{place['node']}\n{place['task']}"
        with self._lock:
            count = self._counts[name]
            self._counts[name] += 1
        return hashlib.sha256(f"{self._seed}\n{name}\n{count}".encode()).digest()[:16]

    def begin(self, request: ExchangeRequest) -> OpenExchange:
        """Records a request that is about to be sent."""
        with self._lock:
            ordinal = self._ordinal
            self._ordinal += 1
        exchange = OpenExchange(self, ordinal, current_place(), request)
        self.open.add(exchange)
        return exchange

    def ask(self, request: ExchangeRequest) -> Future[ExchangeAnswer]:
        """Asks for the recorded answer. Raises ReplayDivergence once the run has left its recording."""
        if self.refused is not None:
            raise ReplayDivergence(self.refused)
        params = {"run_id": self.run_id, "place": current_place(), "request": request}
        return self._connection.request("exchange.answer", params)

    def ask_now(self, request: ExchangeRequest) -> ExchangeAnswer:
        """Like ask, for code that cannot await the answer."""
        answer: ExchangeAnswer = self._connection.wait(self.ask(request))
        return answer

    def accept(self, answer: ExchangeAnswer, fail: Fail) -> RecordedResponse | None:
        """The recorded answer; None when the request is to be sent. Raises the result of `fail` for
        a recorded error, or ReplayDivergence.
        """
        if answer["answer"] == "live":
            return None
        if answer["answer"] == "refused":
            self.refused = self.refused or answer.get("message", "The recording does not answer a request.")
            self._abort()
            raise ReplayDivergence(self.refused)
        response = answer.get("response")
        if response is None:
            raise fail(answer.get("error"))
        failure = fail(answer.get("error")) if response.get("cut") else None

        def read_part(part: int) -> Future[ExchangeChunks]:
            params = {"run_id": self.run_id, "ordinal": answer.get("ordinal", 0), "part": part}
            return self._connection.request("exchange.read_part", params)

        return RecordedResponse(self._connection, response, failure, read_part)

    def send_part(self, ordinal: int, chunks: dict[str, Any]) -> Future[Any]:
        """Sends a part of a long body. Returns a future that is done when the part is stored."""
        params = {"run_id": self.run_id, "ordinal": ordinal, **chunks}
        return self._connection.request("exchange.record_part", params)

    def wait(self, future: Future[Any]) -> Any:
        """Waits until a part is stored, for code that cannot await it."""
        return self._connection.wait(future)

    def record(
        self, exchange: OpenExchange, response: ExchangeResponse | None, error: ExchangeError | None = None
    ) -> None:
        """Sends the whole exchange, except for the parts of its body that were already sent."""
        self._connection.notify(
            "exchange.record",
            {
                "run_id": self.run_id,
                "ordinal": exchange.ordinal,
                "place": exchange.place,
                "request": exchange.request,
                "response": response,
                "times": {"start": exchange.start, "end": round(1000 * time.time())},
                **({} if error is None else {"error": error}),
            },
        )


class RecordedResponse:
    """A recorded response."""

    def __init__(
        self,
        connection: Connection,
        response: ExchangeResponse,
        failure: Exception | None,
        read_part: Callable[[int], Future[ExchangeChunks]],
    ) -> None:
        self.status = response["status"]
        #: The headers that apply to the body as it was recorded.
        self.headers = headers_of_plain(response["headers"])
        self._connection = connection
        self._response = response
        self._failure = failure
        self._read_part = read_part

    def pieces(self) -> Iterator[bytes]:
        """The body in its original pieces. Raises the recorded error at the end of a body that was
        cut off.
        """
        yield from read_pieces(self._response)
        for part in range(self._response.get("parts", 0)):
            yield from read_pieces(self._connection.wait(self._read_part(part)))
        if self._failure is not None:
            raise self._failure

    async def pieces_async(self) -> AsyncIterator[bytes]:
        """Like pieces, for code that can await them."""
        for piece in read_pieces(self._response):
            yield piece
        for part in range(self._response.get("parts", 0)):
            for piece in read_pieces(await asyncio.wrap_future(self._read_part(part))):
                yield piece
        if self._failure is not None:
            raise self._failure


class OpenExchange:
    """A request whose response has not been read to its end."""

    def __init__(
        self, run: RunExchanges, ordinal: int, place: ExchangePlace, request: ExchangeRequest
    ) -> None:
        self.ordinal = ordinal
        self.place = place
        self.request = request
        self.start = round(1000 * time.time())
        self._pieces: list[bytes] = []
        self._bytes = 0
        self._parts = 0
        self._encoding: str | None = None
        self._run = run
        self._status = 0
        self._headers: list[tuple[str, str]] = []

    def add(self, piece: bytes) -> Future[Any] | None:
        """Records a piece of the body. A long body is sent in parts: if the piece completes a part,
        returns a future that is done when the part is stored.
        """
        self._pieces.append(piece)
        self._bytes += len(piece)
        # A compressed body can be decompressed only as a whole.
        return None if self._bytes < _PART_BYTES or self._encoding is not None else self._send_part()

    def keep(self, piece: bytes) -> None:
        """Like add, but waits until there is room for more."""
        stored = self.add(piece)
        if stored is not None:
            self._run.wait(stored)

    async def keep_async(self, piece: bytes) -> None:
        """Like keep, for code that can await it."""
        stored = self.add(piece)
        if stored is not None:
            await asyncio.wrap_future(stored)

    def _send_part(self) -> Future[Any]:
        pieces, self._pieces, self._bytes = self._pieces, [], 0
        self._parts += 1
        return self._run.send_part(self.ordinal, to_chunks(pieces))

    def answered(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        """Records the head of the response, whose `content-encoding` must be that of the pieces."""
        self._status, self._headers = status, list(headers)
        encodings = (value for name, value in self._headers if name.lower() == "content-encoding")
        self._encoding = next(encodings, None)

    @contextmanager
    def sending(self) -> Iterator[None]:
        """A context manager that records a failed request if the code within raises."""
        try:
            yield
        except BaseException as error:
            if self._close():
                self._run.record(self, None, describe_failure(error))
            raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A context manager around code that reads the body. Ends the response afterwards, and
        marks it as cut off if the code fails or stops reading.
        """
        try:
            yield
        except BaseException as error:
            self.end(cut=True, error=None if isinstance(error, GeneratorExit) else error)
            raise
        self.end()

    def end(self, *, cut: bool = False, error: BaseException | None = None) -> None:
        """Called when the response has been read to its end, or when reading has stopped, perhaps
        because of an error.
        """
        if not self._close():
            return
        if self._status == 0:
            self._run.record(self, None, {"message": "The run ended before there was an answer."})
            return
        if self._parts and self._pieces:
            self._send_part()
        headers, pieces = decompress(self._headers, self._encoding, self._pieces)
        response: Any = {"status": self._status, "headers": headers, **to_chunks(pieces)}
        if self._parts:
            response["parts"] = self._parts
        if cut:
            response["cut"] = True
        self._run.record(self, response, None if error is None else describe_failure(error))

    def _close(self) -> bool:
        """Closes the exchange; False if it was closed before, because it is recorded only once."""
        if self not in self._run.open:
            return False
        self._run.open.discard(self)
        return True


#: Runs that are being recorded or replayed, by their IDs.
open_runs: dict[str, RunExchanges] = {}


def current_exchanges() -> RunExchanges | None:
    """The run of the current code, if it is recorded or replayed."""
    if not open_runs:
        return None
    run_id = current_run.get()
    return None if run_id is None else open_runs.get(run_id)


def exchanges_for(url: str) -> RunExchanges | None:
    """The run that a request to an address belongs to, if it is recorded or replayed. Requests that
    send spans belong to no run.
    """
    endpoint = environ.get("LANGSMITH_ENDPOINT")
    return None if endpoint and url.startswith(endpoint.rstrip("/") + "/") else current_exchanges()


def current_place() -> ExchangePlace:
    """The node and the task of the current code; both empty for code outside any node."""
    config = var_child_runnable_config.get() or {}
    metadata = config.get("metadata") or {}
    namespace = str(metadata.get("langgraph_checkpoint_ns") or metadata.get("langgraph_node") or "")
    path = metadata.get("langgraph_path") or ()
    return {
        "node": "|".join(part.split(":")[0] for part in namespace.split("|")),
        "task": ",".join(map(str, path)),
    }


def describe_request(
    method: str, url: str, headers: Iterable[tuple[str, str]], body: bytes | None
) -> ExchangeRequest:
    """A request in the protocol's form. An empty body counts as none."""
    return {
        "method": method,
        "url": url,
        "headers": list(headers),
        "body": to_body(body) if body else None,
    }
