"""SUBSCRIBEs: deep, long, many, and again."""

import itertools
from collections.abc import Iterator

import mqtt
from assault import Slot, Volley, endless
from field import Field


def deep_filters(field: Field) -> None:
    """SUBSCRIBEs of 370 KB, of filters with 190 levels below what is one's own, each another one."""
    own = f"{mqtt.PREFIX}users/{field.mallory.user}/"

    def volleys() -> Iterator[Volley]:
        for number in itertools.count():
            filters = [f"{own}{number}-{index}" + "/a" * 186 for index in range(900)]
            yield Volley(mqtt.subscribe(filters, packet_id=number % 60_000 + 1), 1)

    connect = field.mallory.connect_packet(clean=False, session_expiry=86_400)
    field.open(Slot(field.tcp, connect, ammunition=volleys))


def again_and_again(field: Field) -> None:
    """To what is subscribed already, 800,000 times; and to 60,000 bytes below one's own replies."""
    granted = f"{mqtt.PREFIX}users/{field.mallory.user}/events"
    long = f"{field.mallory.down}/" + "x" * 60_000
    many = Volley(mqtt.subscribe([granted] * 1000), 1000)
    one = Volley.of(mqtt.subscribe([granted]))
    field.open(
        Slot(field.tcp, field.mallory.connect_packet("many"), ammunition=endless(*[many] * 4, one)),
        Slot(field.tcp, field.mallory.connect_packet("long"), ammunition=endless(Volley(mqtt.subscribe([long]), 1))),
    )
