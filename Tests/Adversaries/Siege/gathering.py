"""What one hostile user, with accomplices, may have gathered after some days within the limits; made at once.

What needs only bytes is scaled: the figures say so. What is bounded by number is there in full.
"""

import itertools
import uuid
from collections.abc import Callable, Iterator

import mqtt
from device import Device
from gateway import Gateway
from people import ATTACKER_DEVICES, ATTACKERS, MESSAGES, Town, direct_id, numbered_id, sealed

# By `open_conversations`, less what everybody in the town has besides.
OPEN_CONVERSATIONS = 4_900
OWN_GROUPS = 4
# Four bytes a character, as many as a name may have.
LONG_NAME = "\U0001f3c3" * 100
# 256 MiB a day, and ten reports of 96 KiB an hour: the sixteenth part of both.
MESSAGES_A_DAY, REPORTS_A_DAY = 8_800, 15
BYSTANDERS_A_DAY, MOST_BYSTANDERS = 500, 2_000
# First messages to strangers: 30 an hour.
REQUESTS_A_DAY = 720
# A feed holds 500.
REACTIONS = 600
MOST_FILTERS = 500
# For 4 MiB a device, in pages of 192 KiB at most.
PAGES_OF_A_SESSION = 24
A_MONTH = 30 * 86_400


def fill_own_groups(gateway: Gateway, town: Town, count: float) -> None:
    """So many groups that one user has made, in each of which an accomplice is; with names as long as they may be."""
    groups = (
        {"type": "group", "id": numbered_id(OWN_GROUPS, number), "name": LONG_NAME, "participant_ids": [ATTACKERS[1]]}
        for number in range(int(count))
    )
    # Whoever has them already makes none again: a repeat is answered as the first was.
    with Device(gateway.tcp, town.device(ATTACKERS[0]), "gathers") as device:
        device.requests(("conversations/create", fields) for fields in groups)


def fill_days(gateway: Gateway, town: Town, days: float) -> None:
    """Everything that a hostile user may have after so many days."""
    share = min(1, days)
    strangers = _bystanders(gateway, int(min(MOST_BYSTANDERS, BYSTANDERS_A_DAY * days)))
    requests = min(len(strangers), int(REQUESTS_A_DAY * days))
    with Device(gateway.tcp, town.device(ATTACKERS[0]), "gathers") as device:
        _write(device, int(MESSAGES_A_DAY * days))
        device.requests(("reports/create", _report()) for _ in range(int(REPORTS_A_DAY * days)))
        _meet(device, strangers, requests)
    groups = int((OPEN_CONVERSATIONS - requests) * share)
    fill_own_groups(gateway, town, groups)
    with Device(gateway.tcp, town.device(ATTACKERS[1]), "gathers") as device:
        device.requests(_reactions(min(int(REACTIONS * share), int(MESSAGES_A_DAY * days))))
    for user, name in itertools.product(ATTACKERS, ATTACKER_DEVICES):
        _keep_session(gateway, town, user, name, min(groups, MOST_FILTERS))


def _bystanders(gateway: Gateway, count: int) -> list[str]:
    names = [f"bystander{number:04}" for number in range(count)]
    with Device(gateway.local, gateway.operator(), "gathers") as operator:
        operator.requests(("admin/add-user", {"user_id": name}) for name in names)
    return names


def _write(device: Device, count: int) -> None:
    content = sealed(1000)
    device.requests(
        (
            "messages/send",
            {"id": numbered_id(MESSAGES + 50, number), "conversation_id": direct_id(*ATTACKERS[:2]), "message_type": "text",
             **content},
        )
        for number in range(count)
    )  # fmt: skip


def _report() -> dict:
    return {
        "id": str(uuid.uuid4()), "reason": "siege", "user_id": ATTACKERS[1], "evidence": {"text": "x" * (95 << 10)},
    }  # fmt: skip


def _meet(device: Device, strangers: list[str], requests: int) -> None:
    """Writes to some of them, then follows one half and blocks the other."""
    content, me = sealed(100), device.credentials.user
    device.requests(
        ("conversations/create", {"type": "direct", "participant_ids": [name]}) for name in strangers[:requests]
    )
    device.requests(
        (
            "messages/send",
            {"id": str(uuid.uuid4()), "conversation_id": direct_id(me, name), "message_type": "text", **content},
        )
        for name in strangers[:requests]
    )  # fmt: skip
    device.requests(
        ("social/follow" if number % 2 else "social/block", {"user_id": name}) for number, name in enumerate(strangers)
    )


def _reactions(count: int) -> Iterator[tuple[str, dict]]:
    content, conversation = sealed(32), direct_id(*ATTACKERS[:2])
    for number in range(count):
        yield (
            "messages/react",
            {"id": str(uuid.uuid4()), "conversation_id": conversation, "message_id": numbered_id(MESSAGES + 50, number),
             **content},
        )  # fmt: skip


def _keep_session(gateway: Gateway, town: Town, user: str, name: str, groups: int) -> None:
    """A session that is kept for a month, with a webhook, and of the two who write to each other full of their pages."""
    credentials = town.device(user, name)
    with Device(gateway.tcp, credentials, clean=False, session_expiry=A_MONTH) as device:
        device.subscribe([f"{credentials.down}/#", f"{mqtt.PREFIX}users/{user}/events"])
        if groups and user in ATTACKERS[:2]:
            ids = (numbered_id(OWN_GROUPS, number) for number in range(groups))
            device.subscribe([f"{mqtt.PREFIX}conversations/{group}/messages" for group in ids])
        hook = {"provider": "webhook", "endpoint": f"https://hooks.example.com/{user}/{name}", "secret": "s" * 16}
        device.request("push/register", hook)
    if user in ATTACKERS[:2]:
        page = {"conversation_id": direct_id(*ATTACKERS[:2]), "limit": 200}
        with Device(gateway.tcp, credentials, "gathers") as device:
            device.requests((("history/get", page) for _ in range(PAGES_OF_A_SESSION)), window=4)


FILLERS: dict[str, Callable[[Gateway, Town, float], None]] = {
    "own-groups": fill_own_groups, "day": fill_days, "week": fill_days, "month": fill_days,
}  # fmt: skip
PERIODS = ["day", "week", "month"]
