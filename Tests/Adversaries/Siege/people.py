"""Who there is in the besieged town, and what is between them before it begins."""

import base64
import hashlib
import itertools
import os
import struct
import uuid
from dataclasses import dataclass
from typing import Any

from device import Credentials, Device
from gateway import Gateway

HONEST = [f"citizen{index:02}" for index in range(20)]
# Each a user with three devices; what one of them can do is the question, and some attacks take several.
ATTACKERS = [f"attacker{index:02}" for index in range(10)]
ATTACKER_DEVICES = ["phone", "laptop", "tablet"]
# Whom attackers who do not spare themselves act upon.
VICTIM = "victim"
SUITE = "nacl-box"


def direct_id(one: str, other: str) -> str:
    """The id of the conversation of two users (protocol, section 1)."""
    pair = b"".join(struct.pack(">H", len(name)) + name for name in sorted((one.encode(), other.encode())))
    digest = bytearray(hashlib.sha256(pair).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(digest)))


def numbered_id(kind: int, index: int) -> str:
    """A UUID that can be told again: messages and groups that were made before an attack are named by it."""
    return f"{kind:08x}-0000-4000-8000-{index:012x}"


def sealed(size: int) -> dict[str, str]:
    """What looks like a sealed content of so many bytes."""
    return {
        "suite": SUITE,
        "encrypted_content": base64.b64encode(os.urandom(size)).decode(),
        "nonce": base64.b64encode(os.urandom(24)).decode(),
    }


@dataclass
class Town:
    """Everybody's credentials by `user/device`, and the conversations there are."""

    devices: dict[str, Credentials]
    # Conversation → members.
    conversations: dict[str, list[str]]
    attackers_group: str

    def device(self, user: str, device: str = "phone") -> Credentials:
        return self.devices[f"{user}/{device}"]

    def conversations_of(self, user: str) -> list[str]:
        return [conversation for conversation, members in self.conversations.items() if user in members]

    @staticmethod
    def of_stored(stored: dict[str, Any]) -> "Town":
        """As `asdict` has written it down."""
        devices = {name: Credentials(**fields) for name, fields in stored["devices"].items()}
        return Town(**{**stored, "devices": devices})


def found(gateway: Gateway) -> Town:
    """Makes users, devices, friendships, ten pairs and two groups of the honest, and a group of the attackers.

    One attacker is a member of the second group of the honest.
    """
    town = Town({}, {}, numbered_id(1, 2))
    wanted = [(user, "phone") for user in [*HONEST, VICTIM]]
    wanted += [(user, device) for user in ATTACKERS for device in ATTACKER_DEVICES]
    with Device(gateway.local, gateway.operator(), "siege") as operator:
        users = dict.fromkeys(user for user, _ in wanted)
        operator.requests(
            ("admin/add-user", {"user_id": user, "message_privacy": "anyone"}) for user in users
        )  # fmt: skip
        answers = operator.requests(
            ("admin/add-device", {"user_id": user, "device_id": device}) for user, device in wanted
        )
        for (user, device), answer in zip(wanted, answers, strict=True):
            town.devices[f"{user}/{device}"] = Credentials(user, device, answer["password"])
    _befriend(gateway, town, HONEST)
    _befriend(gateway, town, [*ATTACKERS, VICTIM])
    # An attacker is trusted by some: no attack is to need a stranger's bad luck.
    _befriend(gateway, town, [*HONEST[10:], ATTACKERS[0]])
    for one, other in zip(HONEST[0::2], HONEST[1::2], strict=True):
        _converse(gateway, town, [one, other])
    _converse(gateway, town, HONEST[:10], group=numbered_id(1, 0))
    _converse(gateway, town, [*HONEST[10:19], ATTACKERS[0]], group=numbered_id(1, 1))
    _converse(gateway, town, ATTACKERS, group=town.attackers_group)
    _converse(gateway, town, ATTACKERS[:2])
    return town


def _befriend(gateway: Gateway, town: Town, users: list[str]) -> None:
    for user in users:
        with Device(gateway.tcp, town.device(user), "siege") as device:
            device.requests(("social/follow", {"user_id": other}) for other in users if other != user)


def _converse(gateway: Gateway, town: Town, members: list[str], group: str = "") -> None:
    fields = {"type": "group", "id": group, "name": "siege"} if group else {"type": "direct"}
    with Device(gateway.tcp, town.device(members[0]), "siege") as device:
        made = device.request("conversations/create", {**fields, "participant_ids": members[1:]})
    town.conversations[made["id"]] = members


# What some attacks find there

MESSAGES, GROUPS = 2, 3


def fill_unread(gateway: Gateway, town: Town, count: int) -> None:
    """One attacker has written so many messages to another, who has read none."""
    conversation = direct_id(*ATTACKERS[:2])
    content = sealed(200)
    with Device(gateway.tcp, town.device(ATTACKERS[0]), "siege") as device:
        device.requests(
            (
                "messages/send",
                {"id": numbered_id(MESSAGES, index), "conversation_id": conversation, "message_type": "text", **content},
            )
            for index in range(count)
        )


def fill_groups(gateway: Gateway, town: Town, count: int) -> None:
    """So many groups into which others have put one person."""
    numbers = itertools.count()
    for user in ATTACKERS:
        with Device(gateway.tcp, town.device(user), "siege") as device:
            device.requests(
                (
                    "conversations/create",
                    {"type": "group", "id": numbered_id(GROUPS, next(numbers)), "participant_ids": [VICTIM]},
                )
                for _ in range(count // len(ATTACKERS))
            )
