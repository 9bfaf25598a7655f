"""What somebody does with what they have gathered: sessions that are away, thousands of groups, feeds of others."""

import base64
import itertools
import json
import time
from collections.abc import Iterator

import mqtt
from assault import Attacker, Slot, Volley, endless
from attacks.members import ask
from device import Credentials, Device, Refused
from field import Field
from people import ATTACKER_DEVICES, ATTACKERS, MESSAGES, VICTIM, direct_id, numbered_id, sealed

A_WEEK = 7 * 86_400
# In seconds: how long a main connection stays, which reads nothing, and how often it comes.
VISIT, VISIT_INTERVAL = 0.3, 1.5
HOOK = "https://hooks.example.com/victim"


def away_sessions(field: Field) -> None:
    """Six devices of two users have pages of 192 KiB sent to sessions that are away, and reconnect without reading."""
    conversation = direct_id(*ATTACKERS[:2])
    page = json.dumps({"conversation_id": conversation, "limit": 200}).encode()
    for user, device in itertools.product(ATTACKERS[:2], ATTACKER_DEVICES):
        credentials = field.town.device(user, device)
        request = mqtt.publish(credentials.up("history/get"), page, packet_id=1)
        _visit(field, credentials, mqtt.subscribe([f"{credentials.down}/#"]))
        field.open(Slot(field.tcp, credentials.connect_packet("asks"), ammunition=endless(Volley(request, 1)), rate=18))


def _visit(field: Field, credentials: Credentials, opening: bytes = b"") -> None:
    """The main connection comes, reads nothing, breaks off, and comes again."""
    connect = credentials.connect_packet(clean=False, session_expiry=A_WEEK, receive_maximum=1)
    now = time.monotonic()
    field.assault.at(now + VISIT_INTERVAL, lambda: _visit(field, credentials))
    try:
        attacker = Attacker(field.assault, Slot(field.tcp, connect, opening, reads=False, returns=False))
    except OSError:
        return
    field.assault.counts["visits"] += 1
    field.assault.at(now + VISIT, attacker.close)


def slow_holders(field: Field) -> None:
    """180 connections that never acknowledge, each sent a page of 192 KiB in 6 s, which it could read meanwhile."""
    group = field.town.attackers_group
    content, run = sealed(900), int(time.monotonic() * 1000) & 0xFFFFFF
    # By those who have not stored anything yet.
    for number, user in enumerate(ATTACKERS[2:]):
        with Device(field.tcp, field.town.device(user), "fills") as device:
            device.requests(
                ("messages/send",
                 {"id": numbered_id(0x71000000 + run, number * 25 + index), "conversation_id": group,
                  "message_type": "text", **content})
                for index in range(25)
            )  # fmt: skip
    page = json.dumps({"conversation_id": group, "limit": 200}).encode()
    for user, device in itertools.product(ATTACKERS, ATTACKER_DEVICES):
        credentials = field.town.device(user, device)
        # Each has pages of its own: what many are sent the broker holds once.
        names = [f"holds{number}" for number in range(6)]
        asks = endless(
            *(
                Volley(
                    mqtt.publish(
                        credentials.up("history/get"), page, packet_id=1, response_topic=f"{credentials.down}/{name}"
                    ), 1,
                )
                for name in names
            )
        )  # fmt: skip
        field.open(Slot(field.tcp, credentials.connect_packet("asks"), ammunition=asks, rate=1))
        for name in names:
            filters = mqtt.subscribe([f"{credentials.down}/{name}"])
            field.open(Slot(field.tcp, credentials.connect_packet(name, receive_maximum=1), filters, reads=False))


def held_filter(field: Field) -> None:
    """One filter of 288 bytes that is held already, subscribed to again as fast as it goes, by all devices of one user."""
    for device in ATTACKER_DEVICES:
        credentials = field.town.device(ATTACKERS[0], device)
        prefix = f"{credentials.down}/"
        held = Volley.of(mqtt.subscribe([prefix + "x" * (288 - len(prefix))]))
        field.open(Slot(field.tcp, credentials.connect_packet("held"), ammunition=endless(held)))


def _nobody() -> Iterator[str]:
    return (f"nobody{number}" for number in itertools.count())


def largest_user(field: Field) -> None:
    """Follows of nobody and sends that end in `stale_devices`, 40 a second each, by whoever has the most conversations."""
    content, key = sealed(64), base64.b64encode(bytes(72)).decode()

    def follows() -> Iterator[dict]:
        return ({"user_id": name} for name in _nobody())

    def sends() -> Iterator[dict]:
        for number, name in enumerate(_nobody()):
            strangers = [{"user_id": name, "device_id": "phone", "encrypted_key": key}]
            yield {
                "id": numbered_id(MESSAGES + 100, number), "conversation_id": field.town.attackers_group,
                "message_type": "text", "recipient_keys": strangers, **content,
            }  # fmt: skip

    for device in ATTACKER_DEVICES[:2]:
        credentials = field.town.device(ATTACKERS[0], device)
        ask(field, credentials, "follows", "social/follow", follows, 20)
        ask(field, credentials, "sends", "messages/send", sends, 20)


def largest_syncs(field: Field) -> None:
    """Syncs, lists and profiles, 20 a second of each device, by the two who have the most conversations."""
    for user, device in itertools.product(ATTACKERS[:2], ATTACKER_DEVICES[:2]):
        credentials = field.town.device(user, device)
        ask(field, credentials, "syncs", "sync/get", lambda: itertools.repeat({"cursors": {}}), 20)
        ask(field, credentials, "lists", "conversations/list", lambda: itertools.repeat({"limit": 200}), 20)
        ask(field, credentials, "looks", "profile/get", lambda: ({"user_id": name} for name in _nobody()), 20)


def who_exists(field: Field) -> None:
    """Every operation that answers differently of who exists, about nobody, 20 a second by three devices of one user."""
    group = field.town.attackers_group
    for device in ATTACKER_DEVICES:
        credentials = field.town.device(ATTACKERS[0], device)
        for further, operation, fields in (
            ("remove", "conversations/remove-member", lambda name: {"conversation_id": group, "user_id": name}),
            ("add", "conversations/add-members", lambda name: {"conversation_id": group, "user_ids": [name]}),
            ("make", "conversations/create", lambda name: {"type": "direct", "participant_ids": [name]}),
            ("keys", "keys/get", lambda name: {"user_id": name}),
            ("follow", "social/follow", lambda name: {"user_id": name}),
            ("profile", "profile/get", lambda name: {"user_id": name}),
        ):
            ask(field, credentials, further, operation, lambda fields=fields: map(fields, _nobody()), 20)


def take_registrations(field: Field) -> None:
    """Ten users register the webhook of somebody else as their own, with other secrets, 20 a second each."""
    with Device(field.tcp, field.town.device(VICTIM), "hook") as device:
        device.request("push/register", {"provider": "webhook", "endpoint": HOOK, "secret": "the-victims-own-secret"})
    for user in ATTACKERS:
        hook = {"provider": "webhook", "endpoint": HOOK, "secret": f"the-secret-of-{user}"}
        ask(field, field.town.device(user), "hook", "push/register", lambda hook=hook: itertools.repeat(hook), 20)


def reactions(field: Field) -> None:
    """A friend reacts to 500 messages of somebody whose feed has a challenge that waits for an answer."""
    reactor, challenger = field.town.device(ATTACKERS[1]), field.town.device(ATTACKERS[2], "tablet")
    conversation = direct_id(ATTACKERS[0], ATTACKERS[2])
    with Device(field.tcp, challenger, "dares") as device:
        device.request("conversations/create", {"type": "direct", "participant_ids": [ATTACKERS[0]]})
        try:
            device.request(
                "challenges/create",
                {"id": CHALLENGE, "conversation_id": conversation, "challenged_id": ATTACKERS[0], "type": "steps",
                 "target": 1000, "duration_days": 7},
            )  # fmt: skip
        except Refused as refused:
            # It was made in the round before.
            if refused.code != "conflict":
                raise

    def answers() -> Iterator[dict]:
        content, run = sealed(32), int(time.monotonic() * 1000) & 0xFFFFFF
        for number in itertools.count():
            yield {
                "id": numbered_id(0x70000000 + run, number), "conversation_id": direct_id(*ATTACKERS[:2]),
                "message_id": numbered_id(MESSAGES, number), **content,
            }  # fmt: skip

    ask(field, reactor, "reacts", "messages/react", answers, 20)


CHALLENGE = "00000009-0000-4000-8000-000000000001"
