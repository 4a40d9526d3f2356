"""Makes the pieces of a body readable as a file."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any


class PieceReader(io.RawIOBase):
    """A file that reads from pieces of bytes."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = piece
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def close(self) -> None:
        close = getattr(self._pieces, "close", None)
        if close is not None and not self.closed:
            close()
        super().close()
