"""Connections of browsers, with an end to waiting: for a request's head, for its body, for an answer to be taken.

An answer itself may take as long as it takes, and a stream of events may be silent: only what a client owes is timed.
"""

import asyncio
import socket
import struct
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_S: Final = 10.0  # from the first byte to the end of a request's head; also for the first byte
BODY_S: Final = 30.0  # for all of a form
TAKE_S: Final = 60.0  # without the client taking anything of an answer that waits for it
MOST_HEAD_BYTES: Final = 64 * 1024
MOST_OPEN: Final = 512  # connections of a process
_DROP_UNSENT: Final = struct.pack("ii", 1, 0)


class PatientConnection(HttpToolsProtocol):
    """HTTP of one connection. It is closed where its client keeps the server waiting too long.

    Where too many connections are open, the one that has waited longest for a request makes room for a new one; where
    all of them are being answered, the new one is closed.
    """

    head_s, body_s, take_s, most_open = HEAD_S, BODY_S, TAKE_S, MOST_OPEN

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._timer: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._in_head = True
        self._unanswered = 0
        self._waiting_since = self.loop.time()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, if need be in place of an idle one."""
        super().connection_made(transport)
        self._wait(self.head_s)
        if len(self.connections) > self.most_open:
            idle = [each for each in self.connections if isinstance(each, PatientConnection) and each.is_idle]
            min(idle, key=lambda each: each._waiting_since)._give_up()

    @property
    def is_idle(self) -> bool:
        """Return whether the server waits for the client: for a request, or for the rest of one."""
        return self._unanswered == 0 or self._timer is not None

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all clocks."""
        self._stop(self._timer)
        self._stop(self._taking)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; a head that is too large is not read to its end."""
        if self._in_head:
            self._head_bytes += len(data)
            if self._timer is None:
                self._wait(self.head_s)
        super().data_received(data)
        if self._in_head and self._head_bytes > MOST_HEAD_BYTES:
            self._give_up()

    def on_headers_complete(self) -> None:
        """Now the body is waited for."""
        self._in_head, self._head_bytes = False, 0
        self._unanswered += 1
        self._wait(self.body_s)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Nothing is owed by the client until the next request."""
        self._stop(self._timer)
        self._timer, self._in_head = None, True
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """An answer is out; uvicorn waits for the next request for as long as its ``timeout_keep_alive`` says."""
        self._unanswered = max(0, self._unanswered - 1)
        self._waiting_since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The client is slow in taking an answer."""
        super().pause_writing()
        self._taking = self.loop.call_later(self.take_s, self._look_whether_taken, self._unsent())

    def resume_writing(self) -> None:
        """The client has taken enough."""
        self._stop(self._taking)
        self._taking = None
        super().resume_writing()

    def _look_whether_taken(self, before: int) -> None:
        if self._unsent() >= before:
            self._give_up()
        else:
            self._taking = self.loop.call_later(self.take_s, self._look_whether_taken, self._unsent())

    def _unsent(self) -> int:
        return self.transport.get_write_buffer_size()

    def _wait(self, seconds: float) -> None:
        self._stop(self._timer)
        self._timer, self._waiting_since = self.loop.call_later(seconds, self._give_up), self.loop.time()

    @staticmethod
    def _stop(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()

    def _give_up(self) -> None:
        """Close at once and discard unsent data, rather than wait for a client that does not read."""
        connection = self.transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _DROP_UNSENT)
        self.transport.abort()
