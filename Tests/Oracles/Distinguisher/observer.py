"""A device that keeps every byte it is sent, and forgets what may differ between two worlds: time, ids, random values."""

import itertools
import json
import re
import socket
import time
from typing import Any

import mqtt
from device import PATIENCE, Credentials, Endpoint, NotAdmitted

TIME = re.compile(rb'"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"')
UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# Opaque values: the place of each is kept, and its length.
RANDOM = re.compile(rb'"(epoch|next_cursor)":"([^"]+)"')
WAIT = re.compile(rb'"retry_after_ms":\d+')


class Names:
    """Gives each value that is random its number, by when it was first seen."""

    def __init__(self, known: set[bytes]) -> None:
        self._known = known
        self._numbers: dict[bytes, int] = {}

    def normal(self, data: bytes) -> bytes:
        data = TIME.sub(b'"TIME"', data)
        data = WAIT.sub(b'"retry_after_ms":WAIT', data)
        data = UUID.sub(lambda match: self._number(match[0]), data)
        return RANDOM.sub(
            lambda match: b'"%s":"%s of %d"' % (match[1], self._number(match[2]), len(match[2])), data)

    def _number(self, value: bytes) -> bytes:
        if value in self._known:
            return value
        return b"#%d" % self._numbers.setdefault(value, len(self._numbers))


class Observer:
    """Signed in over MQTT 5. Replies come one at a time; everything else that comes is in `heard`."""

    def __init__(self, endpoint: Endpoint, credentials: Credentials) -> None:
        self.credentials = credentials
        # Topic, retained, payload.
        self.heard: list[tuple[str, bool, bytes]] = []
        self._socket = endpoint.connect()
        self._socket.settimeout(PATIENCE)
        self._reader = mqtt.Reader()
        self._packets: list[tuple[int, bytes]] = []
        self._numbers = itertools.count(1)
        self._down = f"{credentials.down}/reply"
        self._socket.sendall(credentials.connect_packet())
        _, body = self._await(mqtt.CONNACK)
        if body[1]:
            self.close()
            raise NotAdmitted(body[1])
        self.subscribe([self._down])

    def close(self) -> None:
        self._socket.close()

    def subscribe(self, filters: list[str]) -> bytes:
        """The codes of the SUBACK."""
        self._socket.sendall(mqtt.subscribe(filters, packet_id=self._packet_id()))
        _, body = self._await(mqtt.SUBACK)
        return body[-len(filters) :]

    def unsubscribe(self, filters: list[str]) -> None:
        body = self._packet_id().to_bytes(2) + b"\x00" + b"".join(mqtt.text(each) for each in filters)
        self._socket.sendall(mqtt.packet(0xA2, body))
        self._await(11)

    def ask(self, operation: str, fields: dict[str, Any]) -> tuple[bytes, float]:
        """The reply as it came, and the seconds from writing the request to having read it."""
        correlation = b"%d" % next(self._numbers)
        packet = mqtt.publish(
            self.credentials.up(operation), json.dumps(fields).encode(), packet_id=self._packet_id(),
            response_topic=self._down, correlation=correlation,
        )  # fmt: skip
        start = time.perf_counter()
        self._socket.sendall(packet)
        while True:
            message = self._hear(*self._await(mqtt.PUBLISH))
            if message is not None and message.correlation == correlation:
                return message.payload, time.perf_counter() - start

    def tell(self, operation: str, fields: dict[str, Any]) -> None:
        """A request that is never replied to."""
        packet = mqtt.publish(self.credentials.up(operation), json.dumps(fields).encode(), packet_id=self._packet_id())
        self._socket.sendall(packet)

    def hear(self, fragment: bytes) -> None:
        """Returns when something was heard with this in it."""
        while not any(fragment in payload for _, _, payload in self.heard):
            self._hear(*self._await(mqtt.PUBLISH))

    def _packet_id(self) -> int:
        return next(self._numbers) % 65535 + 1

    def _hear(self, header: int, body: bytes) -> mqtt.Message | None:
        """The reply, if it is one."""
        message = mqtt.Message(header, body)
        if message.packet_id:
            self._socket.sendall(mqtt.puback(message.packet_id))
        if message.topic == self._down:
            return message
        self.heard.append((message.topic, bool(header & 1), message.payload))
        return None

    def _await(self, kind: int) -> tuple[int, bytes]:
        while True:
            while self._packets:
                header, body = self._packets.pop(0)
                if header >> 4 == kind:
                    return header, body
                if header >> 4 == mqtt.PUBLISH:
                    self._hear(header, body)
                elif header >> 4 == mqtt.DISCONNECT:
                    raise ConnectionAbortedError(f"DISCONNECT {body.hex()}")
            data = self._socket.recv(1 << 16)
            if not data:
                if kind == mqtt.CONNACK:
                    raise NotAdmitted(-1)
                raise ConnectionResetError("the broker closed the connection")
            self._packets.extend(self._reader.feed(data))
