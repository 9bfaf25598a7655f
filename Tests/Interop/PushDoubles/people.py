"""Who writes to whom in these tests: devices of Tests/Interop/PythonDevice, which seal and open with ciphers of their own."""

import itertools
import json
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from device import Device
from gateway import Gateway
from identities import Address, direct_conversation_id
from launch import BINARIES
from messenger import Messenger
from paho.mqtt.client import MQTTMessage
from services import LIMIT
from tool import Tool

SUITE = "nacl-box"


class Presence:
    """What the gateway says of who is connected, as an operator hears it."""

    def __init__(self, data: Path) -> None:
        self._changed = threading.Condition()
        self._states: dict[str, str] = {}
        self._device = Device(data, Address("operator", "console"), sink=self._take)

    def __enter__(self) -> "Presence":
        self._device.__enter__()
        self._device.subscribe("parley/v1/users/+/presence")
        return self

    def __exit__(self, *_: object) -> None:
        self._device.__exit__()

    def _take(self, message: MQTTMessage) -> None:
        data = json.loads(message.payload)["data"] if message.payload else {}
        with self._changed:
            if "user_id" in data:
                self._states[data["user_id"]] = data["state"]
                self._changed.notify_all()

    def wait(self, user: str, state: str) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: self._states.get(user) == state, LIMIT):
                raise TimeoutError(f"{user} did not become {state}, but is {self._states.get(user)}")


class Person:
    """A device of a user. What it asks leaves it connected until somebody writes (`Town.settle`): to come and to go
    takes the gateway a moment each. In a `with` block, and from `stay` to `leave`, it remains."""

    def __init__(self, town: "Town", address: Address) -> None:
        self.town, self.address = town, address
        self.user = address.user
        self.messenger = Messenger(Device(town.gateway.data, address))
        self.stays = False
        self._stack: ExitStack | None = None

    # Connecting

    def connect(self) -> Messenger:
        """Returns when the gateway knows that the user is there: who comes and goes at once may never have been."""
        if self._stack is None:
            self._stack = ExitStack()
            self.messenger.device = self._stack.enter_context(Device(self.town.gateway.data, self.address))
            self.town.presence.wait(self.user, "online")
        return self.messenger

    def close(self) -> None:
        """Without waiting until the gateway knows it."""
        self.stays = False
        if self._stack is not None:
            self._stack.close()
            self._stack = None

    @property
    def is_connected(self) -> bool:
        return self._stack is not None

    def stay(self) -> Messenger:
        self.stays = True
        return self.connect()

    def leave(self) -> None:
        self.close()
        self.town.await_absence([self])

    def __enter__(self) -> Messenger:
        return self.stay()

    def __exit__(self, *_: object) -> None:
        self.leave()

    def ask(self, operation: str, fields: dict[str, Any] | None = None) -> dict[str, Any]:
        return self.connect().device.request(operation, fields)

    # What they do

    def register(self, target: dict[str, str]) -> None:
        self.ask("push/register", target)

    def write(self, other: "Person | str", text: str = "hello", **more: Any) -> dict[str, Any]:
        """Sends to a user, or to a conversation, and returns the reply."""
        conversation = other if isinstance(other, str) else direct_conversation_id(self.user, other.user)
        messenger = self.connect()
        self.town.settle(self)
        members = self.town.members(messenger, conversation)
        for member in members:
            messenger.fetch_keys(member)
        options = {"expires_in": more.pop("expires_in", None)}
        recipients = messenger.recipients(members)
        direct = len(members) == 2
        fields = messenger.seal(conversation, {"text": text}, recipients, SUITE if direct else "group-box", **options)
        return messenger.device.request("messages/send", fields | more) | {"conversation_id": conversation}

    def start(self, other: "Person") -> str:
        """Makes the direct conversation with another user."""
        fields = {"type": "direct", "participant_ids": [other.user]}
        return self.ask("conversations/create", fields)["id"]


class Town:
    """People of one gateway. Use it as a context manager."""

    _numbers = itertools.count(1)

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.tool = Tool(BINARIES / "parley", gateway.data)
        self.people: list[Person] = []

    def __enter__(self) -> "Town":
        self.presence = Presence(self.gateway.data)
        self.presence.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        for person in self.people:
            person.close()
        self.presence.__exit__()

    def settle(self, sender: Person) -> None:
        """Everybody goes who need not stay, and the gateway knows it."""
        going = [person for person in self.people if person.is_connected and not person.stays and person is not sender]
        for person in going:
            person.close()
        self.await_absence(going)

    def await_absence(self, gone: list[Person]) -> None:
        there = {person.user for person in self.people if person.is_connected}
        for user in {person.user for person in gone} - there:
            self.presence.wait(user, "offline")

    def person(self, name: str, *, privacy: str = "anyone", shown: str | None = None, device: str = "phone") -> Person:
        """A new user with one device, whose keys are published."""
        user = f"{name}{next(self._numbers)}"
        named = ["--name", shown] if shown else []
        self.tool.run("user", "add", user, "--message-privacy", privacy, *named)
        return self._device(Address(user, device))

    def further(self, person: Person, device: str) -> Person:
        """Another device of the same user."""
        return self._device(Address(person.user, device))

    def _device(self, address: Address) -> Person:
        self.tool.run("device", "add", *address)
        person = Person(self, address)
        self.people.append(person)
        person.connect().publish_keys()
        return person

    def group(self, maker: Person, others: list[Person], name: str = "Group") -> str:
        fields = {"type": "group", "name": name, "participant_ids": [other.user for other in others]}
        return maker.ask("conversations/create", fields)["id"]

    @staticmethod
    def members(messenger: Messenger, conversation: str) -> list[str]:
        found = messenger.device.request("conversations/get", {"conversation_id": conversation})
        return [member["user_id"] for member in found["members"]]
