"""Connections: too many, refused ones, ones that come and go."""

import itertools
from dataclasses import replace

import mqtt
from assault import Slot, Volley
from field import Field
from people import ATTACKERS

FOR_EVER = 0xFFFFFFFF


def thousand_of_one_token(field: Field) -> None:
    """A thousand further connections of one device, half of which ask for a session that is kept for ever."""
    for number in range(1000):
        connect = field.mallory.connect_packet(f"x{number}", session_expiry=FOR_EVER if number % 2 else 0)
        filters = mqtt.subscribe([f"{mqtt.PREFIX}users/{field.mallory.user}/events"])
        field.open(Slot(field.tcp, connect, filters))


def refused_with_wills(field: Field) -> None:
    """2,000 CONNECTs a second with a token of nobody's and a will of 60 KB, from 100 addresses."""
    connect = mqtt.connect("stranger:phone", "stranger", "x" * 200, will=b"w" * 60_000)
    addresses = itertools.cycle(f"127.0.{number}.2" for number in range(1, 101))
    field.assault.repeat((Slot(field.tcp, connect, source=address, leaves=True) for address in addresses), 2000)


def churn(field: Field) -> None:
    """2,000 a second sign in and go: each is two reports of presence."""
    slots = itertools.cycle(
        Slot(field.tcp, field.town.device(user).connect_packet(), leaves=True) for user in ATTACKERS
    )
    field.assault.repeat(slots, 2000)


def forged_tokens(field: Field) -> None:
    """2,000 sign-ins a second with a token whose every claim is right and whose signature is not."""
    password = field.mallory.password
    forged = password[:-10] + ("A" * 9 if password[-10:-1] != "A" * 9 else "B" * 9) + "A"
    slot = Slot(field.tcp, replace(field.mallory, password=forged).connect_packet(), leaves=True)
    field.assault.repeat(itertools.repeat(slot), 2000)


def websockets_before_sign_in(field: Field) -> None:
    """Eight connections that begin a CONNECT of 256 MiB over WebSocket and send 40 MB of it, before any sign-in."""
    _endless_connects(field, websocket=True)


def packets_before_sign_in(field: Field) -> None:
    """The same without WebSocket."""
    _endless_connects(field, websocket=False)


def _endless_connects(field: Field, websocket: bool) -> None:
    endpoint = field.websocket if websocket else field.tcp
    beginning = bytes([0x10]) + mqtt.length(268_435_455)
    megabyte = Volley(bytes(1 << 20), 1)
    for _ in range(8):
        field.open(Slot(endpoint, b"", beginning, lambda: itertools.repeat(megabyte, 40), websocket=websocket))
