"""Strangers at the door of a gateway, for scripts/test-broker-config.sh: they know no token.

Usage: stranger.py COMMAND [NAME=VALUE ...]
Every connection comes from the loopback address `source`. Results are printed as one line of NAME=VALUE.
"""

import select
import socket
import ssl
import struct
import sys
import time

PATIENCE = 60


def text(value: bytes) -> bytes:
    """A string or binary field (MQTT 5, 1.5.4)."""
    return struct.pack(">H", len(value)) + value


def length(count: int) -> bytes:
    """A variable byte integer (MQTT 5, 1.5.5)."""
    high, low = count >> 7, count & 127
    return bytes([low | 128]) + length(high) if high else bytes([low])


def connect(will: int = 0, version: int = 5, password: bytes | None = b"no token", client: bytes = b"mallory:phone",
            keepalive: int = 60) -> bytes:
    """A CONNECT (MQTT 5, 3.1), with a will of that many bytes if any."""
    flags = 0x02 | 0x80 | (0x40 if password is not None else 0) | (0x04 if will else 0)
    empty = b"\0" if version == 5 else b""
    body = text(b"MQTT") + bytes([version, flags]) + struct.pack(">H", keepalive) + empty + text(client)
    if will:
        body += empty + text(b"will") + text(b"w" * will)
    body += text(client.split(b":")[0])
    if password is not None:
        body += text(password)
    return b"\x10" + length(len(body)) + body


class Stranger:
    def __init__(self, options: dict[str, str]):
        self.port = int(options["port"])
        self.source = options.get("source", "127.0.0.1")
        self.trusted = ssl.create_default_context(cafile=options["ca"]) if "ca" in options else None

    def dial(self, receive_buffer: int | None = None, source: str | None = None) -> socket.socket:
        plain = socket.socket()
        plain.settimeout(PATIENCE)
        if receive_buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        plain.bind((source or self.source, 0))
        plain.connect(("127.0.0.1", self.port))
        return self.trusted.wrap_socket(plain, server_hostname="localhost") if self.trusted else plain

    def ask(self, packet: bytes, source: str | None = None) -> str:
        """Sends a packet on a connection of its own: "answered", "closed", or "away" if not even that was let in."""
        try:
            connection = self.dial(source=source)
        except OSError:
            return "away"
        try:
            connection.sendall(packet)
            return "answered" if connection.recv(16) else "closed"
        except OSError:
            return "closed"
        finally:
            connection.close()


def seconds_until_closed(connection: socket.socket) -> float:
    started = time.monotonic()
    try:
        while connection.recv(4096):
            pass
    except OSError as error:
        assert not isinstance(error, TimeoutError), "not closed"
    return time.monotonic() - started


def many(stranger: Stranger, options: dict[str, str]) -> dict[str, object]:
    """`count` sign-ins that are refused, each with a will of `will` bytes, by turns from `addresses` addresses."""
    packet = connect(will=int(options.get("will", "0")))
    addresses = int(options.get("addresses", "1"))
    prefix = stranger.source.rsplit(".", 1)[0]
    results = {"answered": 0, "closed": 0, "away": 0}
    for number in range(int(options["count"])):
        results[stranger.ask(packet, f"{prefix}.{1 + number % addresses}")] += 1
    return results


def oddities(stranger: Stranger, _: dict[str, str]) -> dict[str, object]:
    """First packets that no device sends; the names of those that were answered."""
    packets = {
        "will": connect(will=100), "large": connect(will=60_000), "version-3": connect(version=3),
        "bridge": connect(version=0x84), "no-password": connect(password=None), "empty-client": connect(client=b""),
        "gateway": connect(client=b"parley/intake"), "publish": b"\x30\x04\0\1tx", "http": b"GET / HTTP/1.1\r\n\r\n",
        "properties": b"\x10\x0f" + text(b"MQTT") + bytes([5, 0xC2, 0, 60]) + b"\xff\xff\xff\x7f",
    }
    answered = [name for name, packet in packets.items() if stranger.ask(packet) == "answered"]
    return {"answered": ",".join(answered) or "none", "control": stranger.ask(connect())}


def half(stranger: Stranger, _: dict[str, str]) -> dict[str, object]:
    """Half a CONNECT, and then nothing."""
    connection = stranger.dial()
    connection.sendall(connect()[:20])
    return {"seconds": round(seconds_until_closed(connection), 1)}


def trickle(stranger: Stranger, _: dict[str, str]) -> dict[str, object]:
    """A CONNECT of a byte each half second."""
    connection = stranger.dial()
    started = time.monotonic()
    try:
        for byte in connect():
            connection.sendall(bytes([byte]))
            connection.settimeout(0.5)
            try:
                if not connection.recv(16):
                    break
            except TimeoutError:
                continue
    except OSError:
        pass
    return {"seconds": round(time.monotonic() - started, 1)}


def silent(stranger: Stranger, _: dict[str, str]) -> dict[str, object]:
    """A connection that never begins with TLS."""
    stranger.trusted = None
    return {"seconds": round(seconds_until_closed(stranger.dial()), 1)}


def crowd(stranger: Stranger, options: dict[str, str]) -> dict[str, object]:
    """`count` connections as fast as they come, kept open: how many are let in."""
    stranger.trusted = None
    connections = []
    for _ in range(int(options["count"])):
        try:
            connections.append(stranger.dial())
        except ConnectionResetError:
            # Turned away before it was even made.
            continue
    turned_away: set[int] = set()
    # Those who are let in hear nothing for as long as a handshake may take.
    until = time.monotonic() + 5
    while (left := until - time.monotonic()) > 0:
        waiting = [connection.fileno() for connection in connections if connection.fileno() not in turned_away]
        turned_away.update(select.select(waiting, [], [], left)[0])
    return {"let_in": len(connections) - len(turned_away)}


def deaf(stranger: Stranger, _: dict[str, str]) -> dict[str, object]:
    """A client of a broker that lets everybody in: it subscribes, reads nothing of what is sent to it, and keeps pinging.
    How long until it is let go."""
    connection = stranger.dial(receive_buffer=4096)
    connection.sendall(connect() + b"\x82\x07\0\1\0" + text(b"t") + b"\0")
    connection.recv(256)
    sender = stranger.dial()
    sender.sendall(connect(client=b"mallory:laptop"))
    body = text(b"t") + b"\0" + b"x" * 60_000
    # From before the first byte that it does not read: on a slow machine sending takes its time.
    started = time.monotonic()
    for _ in range(200):
        sender.sendall(b"\x30" + length(len(body)) + body)
    try:
        while time.monotonic() - started < PATIENCE:
            connection.sendall(b"\xc0\0")
            sender.sendall(b"\xc0\0")
            time.sleep(0.25)
    except OSError:
        pass
    return {"seconds": round(time.monotonic() - started, 1)}


def main() -> None:
    options = dict(argument.split("=", 1) for argument in sys.argv[2:])
    commands = [many, oddities, half, trickle, silent, crowd, deaf]
    command = {command.__name__: command for command in commands}[sys.argv[1]]
    print(" ".join(f"{name}={value}" for name, value in command(Stranger(options), options).items()))


if __name__ == "__main__":
    main()
