"""Many people: pairs of friends with two devices each, and what each device speaks."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import mqtt
from device import Credentials, Device
from gateway import Gateway
from people import direct_id

DEVICES = ["phone", "tablet"]
DEVICES_PER_PAIR = 2 * len(DEVICES)


@dataclass
class Person:
    """One device, and what is known of it."""

    credentials: Credentials
    conversation: str
    version: int
    websocket: bool
    # Whether its session outlives each of its connections; others keep one now and then.
    is_kept: bool
    # Messages that the broker or the gateway owes it, because its session stood when they were acknowledged.
    owed: set[str] = field(default_factory=set)
    heard: set[str] = field(default_factory=set)
    has_session: bool = False

    def connect_packet(self, *, clean: bool) -> bytes:
        expiry = 0 if clean else 86_400
        return self.credentials.connect_packet(version=self.version, clean=clean, session_expiry=expiry)

    @property
    def filters(self) -> list[str]:
        return [f"{mqtt.PREFIX}conversations/{self.conversation}/messages", f"{self.credentials.down}/#"]


def numbered_users(pair: int) -> list[str]:
    return [f"person{pair:04}-{which}" for which in "ab"]


def settle(gateway: Gateway, pairs: int) -> list[list[Person]]:
    """Makes so many pairs of friends; the four devices of each. Every mix of versions, transports and sessions occurs."""
    with Device(gateway.local, gateway.operator(), "settle") as operator:
        users = [user for pair in range(pairs) for user in numbered_users(pair)]
        operator.requests(("admin/add-user", {"user_id": user}) for user in users)
        wanted = [(user, device) for user in users for device in DEVICES]
        answers = operator.requests(
            ("admin/add-device", {"user_id": user, "device_id": device}) for user, device in wanted
        )
    devices = iter(
        Credentials(user, device, answer["password"]) for (user, device), answer in zip(wanted, answers, strict=True)
    )
    return [_pair(gateway, pair, devices) for pair in range(pairs)]


def _pair(gateway: Gateway, pair: int, devices: Iterator[Credentials]) -> list[Person]:
    one, other = numbered_users(pair)
    conversation = direct_id(one, other)
    people = []
    for number in range(DEVICES_PER_PAIR):
        # The pair's number turns the mix, so that a conversation is not always of the same four.
        mix = number + pair * DEVICES_PER_PAIR + pair // 2
        # By TCP alone, as long as the web door is not started here.
        people.append(
            Person(
                next(devices), conversation, version=5 if mix & 1 else 4, websocket=False, is_kept=bool(mix & 4)
            )
        )
    for person, friend in ((people[-1], one), (people[0], other)):
        with Device(gateway.local, person.credentials, "settle") as device:
            device.request("social/follow", {"user_id": friend})
            if person is people[0]:
                device.request("conversations/create", {"type": "direct", "participant_ids": [friend]})
    return people
