"""What servers of HTTP/2 and HTTP/1.1 share that can also fail in every way that a service fails."""

import asyncio
import itertools
import ssl
from collections.abc import Callable

from desk import Desk
from exchange import Answer

GARBAGE = b"\x16\x03\x01\xff\xff" + b"?\r\n\0" * 256
# What is written of a body without end before the reader is waited for.
PIECE = b"." * 16_384
# A request that is longer is nobody's.
LARGEST_BODY = 1 << 20

numbers = itertools.count(1)
open_connections: set["Connection"] = set()


class Connection(asyncio.Protocol):
    """What both protocols share: answers that come late or never."""

    protocol = ""
    transport: asyncio.Transport

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.number = next(numbers)
        self._released = asyncio.Event()
        self._drained = asyncio.Event()
        self._drained.set()
        self._tasks: set[asyncio.Task[None]] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        open_connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        open_connections.discard(self)
        self._drained.set()
        for task in self._tasks:
            task.cancel()

    def pause_writing(self) -> None:
        self._drained.clear()

    def resume_writing(self) -> None:
        self._drained.set()

    def release(self) -> None:
        """Answers what hangs."""
        self._released.set()
        self._released = asyncio.Event()

    def later(self, answer: Answer, then: Callable[[Answer], None]) -> None:
        """Answers when it is released, or when the time has come."""
        released = self._released

        async def wait() -> None:
            if answer.fault == "hang":
                await released.wait()
            else:
                await asyncio.sleep(answer.milliseconds / 1000)
            answer.fault = None
            if not self.transport.is_closing():
                then(answer)

        self.spawn(wait())

    def spawn(self, work) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def abort(self) -> None:
        """Closes with what was written before, and without a goodbye."""
        self.transport.close()


def tls(certificate: str, key: str, protocols: list[str]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(protocols)
    return context


async def serve(
    make: Callable[[], asyncio.Protocol], context: ssl.SSLContext | None = None
) -> tuple[asyncio.Server, int]:
    """On a free port of the loopback."""
    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0, ssl=context, backlog=1024)
    return server, server.sockets[0].getsockname()[1]
