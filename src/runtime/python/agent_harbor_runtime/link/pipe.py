"""The duplex pipe to the server, which the process inherits as a file descriptor, or in a container as
two.
"""

from __future__ import annotations

import os
import socket
import sys
from typing import Protocol

#: The maximum number of bytes of one read or write.
CHUNK = 1 << 20


class Pipe(Protocol):
    """Bytes in both directions; one thread reads while another writes."""

    def read(self) -> bytes:
        """The next bytes; empty when the other side has closed the pipe."""
        ...

    def write(self, data: bytes) -> None:
        """Writes everything. Raises OSError when the other side has closed the pipe."""
        ...

    def write_some(self, data: bytes) -> int:
        """Writes without waiting, and returns the number of bytes written: 0 if the pipe cannot do
        this. Never raises.
        """
        ...


def open_pipe(descriptors: str) -> Pipe:
    """Takes over the descriptors: the number of one, or those for reading and for writing as `0,1`.
    Processes that user code starts do not inherit them.
    """
    fd, *output = (int(number) for number in descriptors.split(","))
    for number in (fd, *output):
        os.set_inheritable(number, False)
    if output:
        return _TwoPipes(fd, output[0])
    if sys.platform == "win32":
        return _WindowsPipe(fd)
    return _SocketPipe(fd)


class _TwoPipes:
    """The standard streams of a container: one to read from, one to write to."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd = read_fd
        self._write_fd = write_fd

    def read(self) -> bytes:
        try:
            return os.read(self._read_fd, CHUNK)
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._write_fd, view) :]

    def write_some(self, data: bytes) -> int:
        return 0


class _SocketPipe:
    """Except on Windows, Node's pipes between processes are socket pairs."""

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)
        self._socket.setblocking(True)

    def read(self) -> bytes:
        try:
            return self._socket.recv(CHUNK)
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        self._socket.sendall(data)

    def write_some(self, data: bytes) -> int:
        try:
            return self._socket.send(data, socket.MSG_DONTWAIT)
        except OSError:
            return 0


if sys.platform == "win32":
    import _winapi
    import msvcrt

    class _WindowsPipe:
        """A named pipe opened for overlapped I/O, because a waiting read would otherwise block
        every write. The C runtime provides its descriptor; `multiprocessing` reads and writes
        its own pipes in the same way.
        """

        def __init__(self, fd: int) -> None:
            self._handle = msvcrt.get_osfhandle(fd)

        def read(self) -> bytes:
            try:
                overlapped, _ = _winapi.ReadFile(self._handle, CHUNK, overlapped=True)
                count, _ = overlapped.GetOverlappedResult(True)
            except OSError:
                return b""
            return bytes(overlapped.getbuffer() or b"")[:count]

        def write(self, data: bytes) -> None:
            view = memoryview(data)
            while view:
                overlapped, _ = _winapi.WriteFile(self._handle, bytes(view[:CHUNK]), overlapped=True)
                count, _ = overlapped.GetOverlappedResult(True)
                view = view[count:]

        def write_some(self, data: bytes) -> int:
            return 0
