"""A device's connection for what is done before and after an attack: it waits for each answer."""

import itertools
import json
import socket
import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import mqtt

# In seconds. Nothing is decided by how long it takes, short of this.
PATIENCE = 60


class Refused(Exception):
    """The gateway's refusal of a request, with its code."""

    def __init__(self, operation: str, error: dict[str, Any]) -> None:
        super().__init__(f"{operation}: {error['code']}: {error['message']}")
        self.code: str = error["code"]


class NotAdmitted(Exception):
    """CONNECT was refused with this code, or the connection was closed without one (-1)."""

    def __init__(self, code: int) -> None:
        super().__init__(f"CONNACK {code}")
        self.code = code


@dataclass(frozen=True)
class Endpoint:
    """Where a broker, or the door before it, listens. A certificate, as PEM, means TLS."""

    host: str
    port: int = 0
    certificate: str = ""

    def connect(self, source: str = "", receive_buffer: int = 0) -> socket.socket:
        """`host` is a path where there is no port."""
        if not self.port:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(self.host)
            return connection
        connection = socket.socket()
        if receive_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        connection.settimeout(PATIENCE)
        if source:
            connection.bind((source, 0))
        connection.connect((self.host, self.port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.certificate:
            return ssl.create_default_context(cadata=self.certificate).wrap_socket(
                connection, server_hostname="localhost"
            )
        return connection


@dataclass(frozen=True)
class Credentials:
    user: str
    device: str
    password: str

    def client_id(self, further: str = "") -> str:
        return f"{self.user}:{self.device}" + (f":{further}" if further else "")

    def up(self, operation: str) -> str:
        return f"{mqtt.PREFIX}up/{self.user}/{self.device}/{operation}"

    @property
    def down(self) -> str:
        return f"{mqtt.PREFIX}down/{self.user}/{self.device}"

    def connect_packet(self, further: str = "", **options: Any) -> bytes:
        return mqtt.connect(self.client_id(further), self.user, self.password, **options)


class Device:
    """Signed in, with a window of requests under way. Use it as a context manager."""

    def __init__(self, endpoint: Endpoint, credentials: Credentials, further: str = "", **options: Any) -> None:
        """`options` are those of `mqtt.connect`."""
        self.credentials = credentials
        self._socket = endpoint.connect()
        self._socket.settimeout(PATIENCE)
        self._reader = mqtt.Reader()
        self._packets: list[tuple[int, bytes]] = []
        self._numbers = itertools.count(1)
        self._down = f"{credentials.down}/{further or 'siege'}"
        self._socket.sendall(credentials.connect_packet(further, **options))
        _, body = self._await(mqtt.CONNACK)
        if body[1]:
            self._socket.close()
            raise NotAdmitted(body[1])
        self.subscribe([self._down])

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def subscribe(self, filters: list[str]) -> None:
        self._socket.sendall(mqtt.subscribe(filters, packet_id=next(self._numbers) % 65535 + 1))
        _, body = self._await(mqtt.SUBACK)
        if refused := [code for code in body[-len(filters) :] if code >= 0x80]:
            raise PermissionError(f"{filters}: {refused}")

    def request(self, operation: str, fields: dict[str, Any] | None = None) -> dict[str, Any]:
        """Sends one request and returns its reply's `data`."""
        return self.requests([(operation, fields or {})])[0]

    def requests(self, requests: Iterable[tuple[str, dict[str, Any]]], window: int = 256) -> list[dict[str, Any]]:
        """Sends requests, so many at a time, and returns the replies' `data` in order. The first refusal is raised."""
        replies: dict[bytes, dict[str, Any]] = {}
        waiting: dict[bytes, str] = {}
        order: list[bytes] = []
        for operation, fields in requests:
            number = next(self._numbers)
            correlation = b"%d" % number
            order.append(correlation)
            waiting[correlation] = operation
            self._socket.sendall(
                mqtt.publish(
                    self.credentials.up(operation), json.dumps(fields).encode(), packet_id=number % 65535 + 1,
                    response_topic=self._down, correlation=correlation,
                )
            )  # fmt: skip
            while len(waiting) >= window:
                self._take_reply(waiting, replies)
        while waiting:
            self._take_reply(waiting, replies)
        return [replies[correlation] for correlation in order]

    def _take_reply(self, waiting: dict[bytes, str], replies: dict[bytes, dict[str, Any]]) -> None:
        header, body = self._await(mqtt.PUBLISH)
        message = mqtt.Message(header, body)
        if message.packet_id:
            self._socket.sendall(mqtt.puback(message.packet_id))
        if message.correlation not in waiting:
            return
        operation = waiting.pop(message.correlation)
        reply = json.loads(message.payload)
        if not reply["ok"]:
            raise Refused(operation, reply["error"])
        replies[message.correlation] = reply["data"]

    def _await(self, kind: int) -> tuple[int, bytes]:
        """The next packet of a kind; others on the way are passed over."""
        while True:
            while self._packets:
                header, body = self._packets.pop(0)
                if header >> 4 == kind:
                    return header, body
                if header >> 4 == mqtt.DISCONNECT:
                    raise ConnectionAbortedError(f"DISCONNECT {body.hex()}")
            data = self._socket.recv(1 << 16)
            if not data:
                if kind == mqtt.CONNACK:
                    raise NotAdmitted(-1)
                raise ConnectionResetError("the broker closed the connection")
            self._packets.extend(self._reader.feed(data))
