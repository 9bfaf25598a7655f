"""What the tests of a gateway with its push services have in common."""

import base64
import secrets
import signal
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from device import Device
from gateway import Gateway
from identities import Address
from people import Person, Town
from search import Forms
from services import LIMIT, Record, Services, key_of

# So that what was started is stopped in order.
signal.signal(signal.SIGTERM, signal.default_int_handler)

Target = dict[str, str]
Found = dict[str, Any]


class World:
    """Services, a gateway that uses them, and its people: one for each module of tests."""

    services: Services
    gateway: Gateway
    town: Town

    def __init__(self) -> None:
        # What stands in every name and every text, and must stand nowhere in what goes out.
        self.marker = "Zo" + secrets.token_hex(10)

    def set_up(self, **settings: Any) -> None:
        """To be called by `setUpModule`."""
        directory = Path(unittest.enterModuleContext(tempfile.TemporaryDirectory(prefix="push-")))
        self.services = unittest.enterModuleContext(Services(directory / "services"))
        self.gateway = unittest.enterModuleContext(Gateway(directory / "data", self.services, **settings))
        unittest.enterModuleContext(self.gateway.blamed())
        self.town = unittest.enterModuleContext(Town(self.gateway))


class PushTestCase(unittest.TestCase):
    world: World

    def setUp(self) -> None:
        self.services, self.gateway, self.town = self.world.services, self.world.gateway, self.world.town
        self.before = len(self.services.records())
        # What a test expects to be refused by the services' own rules.
        self.is_refusal_expected = False

    def tearDown(self) -> None:
        """Whatever was sent meanwhile is as it was promised, and has no name and no text in it."""
        records = self.services.records()[self.before :]
        for record in records:
            self.assertEqual(record["complaints"], [], record.get("object"))
            self.assertTrue(record["is_valid"] or self.is_refusal_expected, record)
            self.assertEqual(self.leaked(record), set(), record)

    def leaked(self, record: Record) -> set[str]:
        body = base64.b64decode(record["body_base64"]) if "body_base64" in record else record["body"].encode()
        shown = repr((record["path"], record["headers"], record.get("object"))).encode()
        return Forms(self.world.marker).found(iter([body, b"\n", shown]))

    # Who there is

    def person(self, name: str, **more: Any) -> Person:
        return self.town.person(name, shown=f"{name} {self.world.marker}", **more)

    def pair(self) -> tuple[Person, Person]:
        """Alice, who stays connected, and Bob, who will not be and knows her keys."""
        alice, bob = self.staying("alice"), self.person("bob")
        bob.messenger.fetch_keys(alice.user)
        alice.start(bob)
        return alice, bob

    def staying(self, name: str) -> Person:
        """Until the end of the test."""
        person = self.person(name)
        person.stay()
        self.addCleanup(person.close)
        return person

    def hook(self, person: Person, scheme: str = "https") -> Target:
        target = self.services.hook(scheme)
        person.register(target)
        return target

    def write(self, sender: Person, to: Person | str, text: str = "", **more: Any) -> Found:
        return sender.write(to, f"{text} {self.world.marker}", **more)

    # What has come

    def taken(self, target: Target) -> list[Found]:
        """The notifications that a device has got, in their order."""
        key = key_of(target)
        return [each["object"] for each in self.services.records() if each["key"] == key and each["taken"]]

    def attempts(self, target: Target) -> list[Record]:
        key = key_of(target)
        return [each for each in self.services.records() if each["key"] == key]

    def await_of(self, target: Target, message: Found) -> Found:
        """The notification of a message, as the device got it."""

        def find(_: Any) -> Found | None:
            return next((found for found in self.taken(target) if self.is_of(found, message)), None)

        return self.services.until(f"the notification of seq {message['seq']}", find)

    def await_decision(self, message: Found, person: Person, decision: str) -> None:
        """What was decided of a message for somebody."""
        with Device(self.gateway.data, Address("operator", "console")) as operator:
            self.eventually(
                f"the decision {decision}",
                lambda: any(
                    (push["user_id"], push["decision"]) == (person.user, decision)
                    for push in operator.request("admin/trace", {"id": message["id"]})["pushes"]
                ),
            )

    def await_type(self, target: Target, kind: str, count: int = 1) -> Found:
        def find(_: Any) -> Found | None:
            found = [each for each in self.taken(target) if each["type"] == kind]
            return found[count - 1] if len(found) >= count else None

        return self.services.until(f"{count} notifications of the type {kind}", find)

    @staticmethod
    def is_of(found: Found, message: Found) -> bool:
        place = found["conversation_id"], found["epoch"], found["seq"]
        return found["type"] == "message" and place == (message["conversation_id"], message["epoch"], message["seq"])

    def assert_only(self, target: Target, *messages: Found) -> None:
        """That the device was notified of these messages, in this order, and of nothing else until now."""
        for message in messages:
            self.await_of(target, message)
        shown = [(found["type"], found["conversation_id"], found["seq"]) for found in self.taken(target)]
        self.assertEqual(shown, [("message", message["conversation_id"], message["seq"]) for message in messages])

    @staticmethod
    def eventually(what: str, condition: Callable[[], Any]) -> Any:
        """Waits for what nothing tells of."""
        end = time.monotonic() + LIMIT
        while not (result := condition()):
            if time.monotonic() > end:
                raise TimeoutError(f"waited in vain for {what}")
            time.sleep(0.02)
        return result
