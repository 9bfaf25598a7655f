"""MQTT over WebSocket (RFC 6455), as much of it as a client needs."""

import struct


def upgrade_request() -> bytes:
    return (
        b"GET /mqtt HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Protocol: mqtt\r\n\r\n"
    )


def frame(payload: bytes) -> bytes:
    """A binary frame (RFC 6455, section 5.2), masked with zeros, which change nothing."""
    size = len(payload)
    if size < 126:
        head = struct.pack(">BB", 0x82, 0x80 | size)
    elif size < 1 << 16:
        head = struct.pack(">BBH", 0x82, 0x80 | 126, size)
    else:
        head = struct.pack(">BBQ", 0x82, 0x80 | 127, size)
    return head + bytes(4) + payload


class UpgradeRefused(Exception):
    """The server does not speak MQTT over WebSocket."""


class Frames:
    """Cuts what a server sends into the payloads of its data frames; the answer to the upgrade comes before them."""

    def __init__(self) -> None:
        self._input = bytearray()
        self.is_upgraded = False

    def feed(self, data: bytes) -> bytes:
        """The payload bytes that have come with `data`, of frames that are whole."""
        self._input += data
        if not self.is_upgraded and not self._upgrade():
            return b""
        payload = bytearray()
        at = 0
        while (found := self._frame(at)) is not None:
            start, end = found
            if self._input[at] & 0x0F in (0, 1, 2):
                payload += self._input[start:end]
            at = end
        del self._input[:at]
        return bytes(payload)

    def _upgrade(self) -> bool:
        end = self._input.find(b"\r\n\r\n")
        if end < 0:
            return False
        if not self._input.startswith(b"HTTP/1.1 101 "):
            raise UpgradeRefused(bytes(self._input[:80]))
        del self._input[: end + 4]
        self.is_upgraded = True
        return True

    def _frame(self, at: int) -> tuple[int, int] | None:
        if len(self._input) < at + 2:
            return None
        size, start = self._input[at + 1] & 0x7F, at + 2
        if size == 126:
            size, start = int.from_bytes(self._input[start : start + 2], "big"), start + 2
        elif size == 127:
            size, start = int.from_bytes(self._input[start : start + 8], "big"), start + 8
        return (start, start + size) if start + size <= len(self._input) else None
