"""A server of HTTP/2 on the state machine of `h2`."""

import asyncio

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions

from connections import GARBAGE, LARGEST_BODY, PIECE, Connection
from desk import Desk
from exchange import Answer, Request
from http1 import HTTP1


class HTTP2(Connection):
    protocol = "HTTP/2"

    def __init__(self, desk: Desk, streams: int = 1000) -> None:
        super().__init__(desk)
        self._h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self._h2.local_settings.max_concurrent_streams = streams
        self._requests: dict[int, tuple[dict[str, str], bytearray]] = {}
        self._last_processed = 0
        self._is_leaving = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._h2.initiate_connection()
        self._write()

    def data_received(self, data: bytes) -> None:
        if self._is_leaving:
            return
        try:
            events = self._h2.receive_data(data)
        except h2.exceptions.ProtocolError:
            self._write()
            return self.abort()
        for event in events:
            self._handle(event)
        self._write()

    def _handle(self, event: h2.events.Event) -> None:
        match event:
            case h2.events.RequestReceived():
                headers: dict[str, str] = {}
                for name, value in event.headers:
                    headers[name] = f"{headers[name]}, {value}" if name in headers else value
                self._requests[event.stream_id] = headers, bytearray()
            case h2.events.DataReceived():
                self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                if event.stream_id in self._requests:
                    body = self._requests[event.stream_id][1]
                    body += event.data[: LARGEST_BODY - len(body)]
            case h2.events.StreamEnded():
                if event.stream_id in self._requests:
                    self._whole(event.stream_id, *self._requests.pop(event.stream_id))
            case h2.events.StreamReset():
                self._requests.pop(event.stream_id, None)
            case h2.events.WindowUpdated():
                self._drained.set()
            case h2.events.ConnectionTerminated():
                self.abort()

    def _whole(self, stream: int, headers: dict[str, str], body: bytearray) -> None:
        if self._is_leaving:
            return  # Beyond the last stream that GOAWAY named.
        request = Request(
            headers.get(":method", ""),
            headers.get(":path", ""),
            headers,
            bytes(body),
            self.number,
            self.protocol,
            stream,
        )
        answer = self.desk.handle(request)
        if answer.fault != "goaway":
            self._last_processed = max(self._last_processed, stream)
        self._answer(stream, answer)

    def _answer(self, stream: int, answer: Answer) -> None:
        match answer.fault:
            case "hang" | "slow":
                self.later(answer, lambda answer: self._answer(stream, answer))
            case "close":
                self.abort()
            case "midway":
                self._send_head(stream, answer, {"content-length": str(len(answer.body) + 100)})
                self._h2.send_data(stream, answer.body + b"...")
                self._write()
                self.abort()
            case "garbage":
                self._write()
                self.transport.write(GARBAGE)
                self.abort()
            case "endless":
                self._send_head(stream, answer)
                self.spawn(self._send_without_end(stream))
            case "reset":
                self._h2.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
            case "refuse":
                self._h2.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)
            case "goaway":
                self._leave()
            case "goaway-after":
                self._send(stream, answer)
                self._leave()
            case _:
                self._send(stream, answer)
        self._write()

    def _send_head(self, stream: int, answer: Answer, more: dict[str, str] | None = None, ends: bool = False) -> None:
        headers = [(":status", str(answer.status)), *answer.headers.items(), *(more or {}).items()]
        self._h2.send_headers(stream, headers, end_stream=ends)

    def _send(self, stream: int, answer: Answer) -> None:
        try:
            self._send_head(stream, answer, {"content-length": str(len(answer.body))}, ends=not answer.body)
            if answer.body:
                self._h2.send_data(stream, answer.body, end_stream=True)
        except (h2.exceptions.StreamClosedError, h2.exceptions.ProtocolError):
            pass  # The other side has given it up.

    def _leave(self) -> None:
        """GOAWAY. The other side closes when it has read that, or else this one does: what is closed while something
        unread has come may lose what was written."""
        self._is_leaving = True
        self._h2.close_connection(h2.errors.ErrorCodes.NO_ERROR, last_stream_id=self._last_processed)
        self._write()
        self.spawn(self._close_after(2))

    async def _close_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self.abort()

    async def _send_without_end(self, stream: int) -> None:
        while not self.transport.is_closing():
            await self._drained.wait()
            try:
                room = min(self._h2.local_flow_control_window(stream), self._h2.max_outbound_frame_size)
                if room > 0:
                    self._h2.send_data(stream, PIECE[:room])
                    self._write()
                else:
                    self._drained.clear()
            except h2.exceptions.ProtocolError:
                return

    def _write(self) -> None:
        if (data := self._h2.data_to_send()) and not self.transport.is_closing():
            self.transport.write(data)


class ByALPN(asyncio.Protocol):
    """Speaks what was agreed upon in the handshake."""

    def __init__(self, desk: Desk, needs_http2: bool) -> None:
        self._desk, self._needs_http2 = desk, needs_http2

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        chosen = transport.get_extra_info("ssl_object").selected_alpn_protocol()
        if chosen != "h2" and self._needs_http2:
            return transport.abort()
        protocol = HTTP2(self._desk) if chosen == "h2" else HTTP1(self._desk)
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
