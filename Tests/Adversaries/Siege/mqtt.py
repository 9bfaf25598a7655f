"""MQTT 5 and 3.1.1 packets as bytes: as much as a device needs, and what no well-behaved library would send."""

import struct
from collections.abc import Iterable, Iterator

PREFIX = "parley/v1/"

CONNACK, PUBLISH, PUBACK, SUBACK, PINGRESP, DISCONNECT = 2, 3, 4, 9, 13, 14


def length(number: int) -> bytes:
    """A variable byte integer (MQTT 5, section 1.5.5)."""
    encoded = bytearray()
    while True:
        number, low = number >> 7, number & 0x7F
        encoded.append(low | (0x80 if number else 0))
        if not number:
            return bytes(encoded)


def text(value: str | bytes) -> bytes:
    """A string or binary data, with its 16-bit length before it."""
    value = value.encode() if isinstance(value, str) else value
    return struct.pack(">H", len(value)) + value


def packet(header: int, body: bytes) -> bytes:
    return bytes([header]) + length(len(body)) + body


def connect(
    client_id: str, username: str, password: str, *, version: int = 5, clean: bool = True,
    session_expiry: int = 0, keep_alive: int = 60, will: bytes = b"", receive_maximum: int = 0,
    properties: bytes = b"",
) -> bytes:  # fmt: skip
    """`will` is the payload of a will on a topic of the user's own; without one there is no will. `properties` are put
    behind the others as they are."""
    flags = 0xC0 | (0x02 if clean else 0) | (0x0C if will else 0)
    body = text("MQTT") + bytes([version, flags]) + struct.pack(">H", keep_alive)
    if version == 5:
        own = b"\x11" + struct.pack(">I", session_expiry)
        own += b"\x21" + struct.pack(">H", receive_maximum) if receive_maximum else b""
        body += length(len(own + properties)) + own + properties
    body += text(client_id)
    if will:
        body += (b"\x00" if version == 5 else b"") + text(f"{PREFIX}up/{username}/will") + text(will)
    return packet(0x10, body + text(username) + text(password))


def publish(
    topic: str, payload: bytes, *, packet_id: int = 0, version: int = 5, response_topic: str = "",
    correlation: bytes = b"", properties: bytes = b"",
) -> bytes:  # fmt: skip
    """At QoS 1 with a packet id, else at QoS 0. `properties` are put before the others as they are."""
    body = text(topic) + (struct.pack(">H", packet_id) if packet_id else b"")
    if version == 5:
        if response_topic:
            properties += b"\x08" + text(response_topic)
        if correlation:
            properties += b"\x09" + text(correlation)
        body += length(len(properties)) + properties
    return packet(0x32 if packet_id else 0x30, body + payload)


def subscribe(
    filters: Iterable[str | bytes], *, packet_id: int = 1, version: int = 5, qos: int = 1, properties: bytes = b""
) -> bytes:
    body = struct.pack(">H", packet_id) + (length(len(properties)) + properties if version == 5 else b"")
    return packet(0x82, body + b"".join(text(entry) + bytes([qos]) for entry in filters))


def unsubscribe(filters: Iterable[str | bytes], *, packet_id: int = 1, properties: bytes = b"") -> bytes:
    body = struct.pack(">H", packet_id) + length(len(properties)) + properties
    return packet(0xA2, body + b"".join(map(text, filters)))


def acknowledgement(header: int, properties: bytes, packet_id: int = 1) -> bytes:
    """PUBACK, PUBREC, PUBREL or PUBCOMP with properties."""
    return packet(header, struct.pack(">HB", packet_id, 0) + length(len(properties)) + properties)


def puback(packet_id: int) -> bytes:
    return b"\x40\x02" + struct.pack(">H", packet_id)


PINGREQ = b"\xc0\x00"
DISCONNECTING = b"\xe0\x00"


class Reader:
    """Cuts what has come into packets."""

    def __init__(self) -> None:
        self._input = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """The first byte and the body of each packet that is whole now."""
        self._input += data
        at = 0
        while (found := self._packet(at)) is not None:
            start, end = found
            yield self._input[at], bytes(self._input[start:end])
            at = end
        del self._input[:at]

    def _packet(self, at: int) -> tuple[int, int] | None:
        count = shift = 0
        for index in range(at + 1, min(at + 5, len(self._input))):
            byte = self._input[index]
            count |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                end = index + 1 + count
                return (index + 1, end) if end <= len(self._input) else None
        return None


class Message:
    """A PUBLISH that was received."""

    __slots__ = ("correlation", "packet_id", "payload", "topic")

    def __init__(self, header: int, body: bytes, version: int = 5) -> None:
        (count,) = struct.unpack_from(">H", body)
        self.topic = body[2 : 2 + count].decode()
        at = 2 + count
        self.packet_id = 0
        if header & 0x06:
            (self.packet_id,) = struct.unpack_from(">H", body, at)
            at += 2
        self.correlation = b""
        if version == 5:
            size, at = _variable(body, at)
            self.correlation = _correlation(body[at : at + size])
            at += size
        self.payload = body[at:]


def _variable(body: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = body[at]
        number |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if byte < 0x80:
            return number, at


def _correlation(properties: bytes) -> bytes:
    """The correlation data among the properties of a PUBLISH; the gateway's replies have no user properties."""
    at = 0
    while at < len(properties):
        identifier = properties[at]
        if identifier == 0x01:  # payload format
            at += 2
        elif identifier in (0x02,):  # message expiry
            at += 5
        elif identifier in (0x03, 0x08, 0x09):  # content type, response topic, correlation data
            (count,) = struct.unpack_from(">H", properties, at + 1)
            if identifier == 0x09:
                return properties[at + 3 : at + 3 + count]
            at += 3 + count
        else:
            return b""
    return b""
