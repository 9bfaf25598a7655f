"""What a user may do, without end, and at the cost of others."""

import base64
import itertools
import json
import os
from collections.abc import Iterator

import mqtt
from assault import Slot, Volley
from device import Credentials
from field import Field
from people import ATTACKER_DEVICES, ATTACKERS, MESSAGES, VICTIM, direct_id, numbered_id, sealed


def _requests(credentials: Credentials, further: str, operation: str, fields: Iterator[dict]) -> Iterator[Volley]:
    for number, each in enumerate(fields):
        payload = json.dumps(each).encode()
        yield Volley(
            mqtt.publish(
                credentials.up(operation), payload, packet_id=number % 60_000 + 1,
                response_topic=f"{credentials.down}/{further}",
            ), 1,
        )  # fmt: skip


def ask(field: Field, credentials: Credentials, further: str, operation: str, fields, per_second: float) -> None:
    """One connection that asks at a rate and reads its own replies."""
    field.open(
        Slot(
            field.tcp, credentials.connect_packet(further), mqtt.subscribe([f"{credentials.down}/{further}"]),
            lambda: _requests(credentials, further, operation, fields()), rate=per_second,
        )
    )  # fmt: skip


def slow_readers(field: Field) -> None:
    """5,000 events for 180 connections that read nothing, with a receive buffer of 4 KiB.

    The members of one group do it, as fast as their limits let them: each has further connections that subscribe and
    never read, and writes from its devices.
    """
    group = field.town.attackers_group
    filters = mqtt.subscribe([f"{mqtt.PREFIX}conversations/{group}/messages"])
    for number in range(180):
        user, device = ATTACKERS[number % 10], ATTACKER_DEVICES[number // 10 % 3]
        connect = field.town.device(user, device).connect_packet(f"slow{number // 30}")
        field.open(Slot(field.tcp, connect, filters, reads=False, receive_buffer=4096))
    content = sealed(800)
    for member, device in itertools.product(range(10), range(2)):
        credentials = field.town.device(ATTACKERS[member], ATTACKER_DEVICES[device])

        def messages(member=member, device=device) -> Iterator[dict]:
            for number in itertools.count():
                identifier = f"{os.getpid():08x}-{member * 10 + device:04x}-4000-8002-{number:012x}"
                yield {"id": identifier, "conversation_id": group, "message_type": "text", **content}

        ask(field, credentials, "speaks", "messages/send", messages, 20)


def receipts_of_many(field: Field) -> None:
    """Twenty receipts a second where 100,000 messages are unread, and as many lists and syncs that count them."""
    reader = field.town.device(ATTACKERS[1])
    conversation = direct_id(*ATTACKERS[:2])

    def receipts() -> Iterator[dict]:
        for index in itertools.count():
            yield {"conversation_id": conversation, "message_id": numbered_id(MESSAGES, index)}

    def marks() -> Iterator[dict]:
        for index in itertools.count():
            yield {"conversation_id": conversation, "is_unread": index % 2 == 0}

    ask(field, reader, "receipts", "receipts/read", receipts, 20)
    ask(field, reader, "marks", "conversations/update", marks, 10)
    ask(field, reader, "lists", "conversations/list", lambda: itertools.repeat({}), 10)
    ask(field, reader, "syncs", "sync/get", lambda: itertools.repeat({"cursors": {}}), 20)


def groups_upon_one(field: Field) -> None:
    """Ten strangers put one person into ever more groups, who has 20,000 already and syncs and lists them."""
    for user in ATTACKERS:
        credentials = field.town.device(user)

        def groups() -> Iterator[dict]:
            return ({"type": "group", "participant_ids": [VICTIM]} for _ in itertools.repeat(0))

        ask(field, credentials, "groups", "conversations/create", groups, 20)
    victim = field.town.device(VICTIM)
    ask(field, victim, "syncs", "sync/get", lambda: itertools.repeat({"cursors": {}}), 20)
    ask(field, victim, "lists", "conversations/list", lambda: itertools.repeat({"limit": 200}), 20)


def new_keys(field: Field) -> None:
    """A member of the honest's group publishes new keys every second; two more devices as fast as they are let."""

    def keys() -> Iterator[dict]:
        while True:
            yield {"identity_key": base64.b64encode(os.urandom(31) + b"\x01").decode()}

    ask(field, field.mallory, "keys", "keys/publish", keys, 1)
    for user in ATTACKERS[1:3]:
        ask(field, field.town.device(user), "keys", "keys/publish", keys, 20)


def blobs(field: Field) -> None:
    """Ten users announce files, delete them, and ask for ids that nobody knows, 20 a second by each of three devices."""
    digest = base64.b64encode(bytes(32)).decode()

    def files(number: int) -> Iterator[str]:
        return (f"{os.getpid():08x}-{number:04x}-4000-8003-{count:012x}" for count in itertools.count())

    def announcements(number: int) -> Iterator[dict]:
        group = field.town.attackers_group
        return ({"id": file, "conversation_id": group, "size": 17, "digest": digest} for file in files(number))

    for number, user in enumerate(ATTACKERS):
        announces, deletes, asks = (field.town.device(user, device) for device in ATTACKER_DEVICES)
        ask(field, announces, "files", "blobs/create", lambda number=number: announcements(number), 20)
        ask(field, deletes, "files", "blobs/delete", lambda number=number: ({"id": file} for file in files(number)), 20)
        ask(field, asks, "files", "blobs/get", lambda number=number: ({"id": file} for file in files(number + 100)), 20)
