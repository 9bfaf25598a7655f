"""What is in a notification, at every service, and what a device makes of it."""

import base64
import json
import tempfile
import unittest
import uuid
from pathlib import Path

from case import Found, PushTestCase, Target, World
from contract import LARGEST
from device import Device
from gateway import Gateway
from identities import Address
from people import Person, Town

world = World()


def setUpModule() -> None:
    world.set_up()


class What(PushTestCase):
    world = world

    def targets(self) -> list[Target]:
        return [
            self.services.hook(), self.services.hook("http"), self.services.subscription(), self.services.apns_device(),
            self.services.fcm_device(),
        ]  # fmt: skip

    def registered(self, bob: Person) -> list[tuple[Person, Target]]:
        """A device of Bob's for each service."""
        devices = [bob, *(self.town.further(bob, f"device{number}") for number in range(4))]
        targets = self.targets()
        for device, target in zip(devices, targets, strict=True):
            device.register(target)
        return list(zip(devices, targets, strict=True))

    def test_each_service_brings_the_message_sealed_and_the_device_opens_it(self) -> None:
        alice, bob = self.pair()
        devices = self.registered(bob)
        for device, _ in devices:
            device.messenger._known = bob.messenger._known
        message = self.write(alice, bob, "for all five")
        ids = set()
        for device, target in devices:
            with self.subTest(target["provider"]):
                found = self.await_of(target, message)
                self.assertEqual((found["user_id"], found["device_id"]), device.address)
                self.assertEqual((found["badge"], found["message"]["id"]), (1, message["id"]))
                opened = device.messenger.open(found["message"])
                self.assertEqual(opened, {"text": f"for all five {self.world.marker}"})
                ids.add(found["id"])
        self.assertEqual(len(ids), 5)

    def test_the_real_tool_sends_and_its_message_is_notified(self) -> None:
        bob = self.person("bob")
        at_bob = self.hook(bob)
        sender = self.town.tool.add(Address(f"tool{self.world.marker[:4]}", "phone"))
        bob.leave()
        sent = self.town.tool.send(sender, f"by the tool {self.world.marker}", "--to", bob.user)
        found = self.await_type(at_bob, "message")
        self.assertEqual((found["message"]["id"], found["seq"]), (sent["id"], sent["seq"]))

    def test_a_name_or_a_text_would_be_found_in_every_form(self) -> None:
        marker = self.world.marker.encode()
        sent = {"path": "/", "headers": {}, "body": "{}"}
        self.assertEqual(self.leaked(sent), set())
        for body in (marker, marker.hex().encode(), base64.b64encode(b"1" + marker)):
            self.assertNotEqual(self.leaked(sent | {"body": f'{{"text":"{body.decode()}"}}'}), set())
            self.assertNotEqual(self.leaked(sent | {"body_base64": base64.b64encode(body).decode()}), set())
            self.assertNotEqual(self.leaked(sent | {"object": {"name": body.decode()}}), set())
            self.assertNotEqual(self.leaked(sent | {"headers": {"topic": body.decode()}}), set())

    def test_what_does_not_fit_is_a_reference(self) -> None:
        alice, bob = self.pair()
        devices = self.registered(bob)
        for text, fits in (("s", True), ("x" * 4000, False)):
            message = self.write(alice, bob, text)
            for _, target in devices:
                with self.subTest(target["provider"], fits=fits):
                    found = self.await_of(target, message)
                    self.assertEqual(found["message"] is not None, fits)

    def test_close_to_the_limit_all_services_take_what_is_sent(self) -> None:
        alice, bob = self.pair()
        devices = self.registered(bob)
        sizes = range(1200, 2400, 40)
        whole = dict.fromkeys((target["provider"] for _, target in devices), 0)
        for size in sizes:
            message = self.write(alice, bob, "y" * size)
            for _, target in devices:
                found = self.await_of(target, message)
                whole[target["provider"]] += found["message"] is not None
                self.assertLessEqual(len(json.dumps(found, separators=(",", ":")).encode()), LARGEST)
        # Some fit and some do not, or the limit was not met.
        for provider, count in whole.items():
            with self.subTest(provider):
                self.assertTrue(0 < count, "none fits")
        print(f"close to the limit: of {len(sizes)} messages the whole fitted: {whole}", flush=True)

    def test_reading_on_one_device_clears_the_others_with_the_new_badge(self) -> None:
        alice, bob = self.pair()
        tablet = self.town.further(bob, "tablet")
        targets = self.targets()
        phones = [bob, *(self.town.further(bob, f"phone{number}") for number in range(4))]
        for phone, target in zip(phones, targets, strict=True):
            phone.register(target)
        own = self.hook(tablet)
        first, second = self.write(alice, bob), self.write(alice, bob)
        for target in [*targets, own]:
            self.assertEqual(self.await_of(target, second)["badge"], 2)
        with tablet as messenger:
            messenger.device.subscribe(f"parley/v1/users/{bob.user}/notifications")
            fields = {"conversation_id": second["conversation_id"], "message_id": second["id"]}
            messenger.device.request("receipts/read", fields)
            cleared = messenger.device.event(
                "notification.cleared",
                lambda kind, data: kind == "notification.cleared" and data.get("conversation_id") is not None,
            )
            self.assertEqual((cleared["conversation_id"], cleared["seq"]), (second["conversation_id"], second["seq"]))
            for target in targets:
                with self.subTest(target["provider"]):
                    clear = self.await_type(target, "clear")
                    place = clear["conversation_id"], clear["seq"], clear["badge"]
                    self.assertEqual(place, (second["conversation_id"], second["seq"], 0))
        # The device on which it was read needs no telling.
        third = self.write(alice, bob)
        self.await_of(own, third)
        self.assertEqual([found["type"] for found in self.taken(own)], ["message"] * 3)
        self.assertLess(first["seq"], second["seq"])

    def test_a_deleted_message_is_taken_away_alone_while_others_are_unread(self) -> None:
        alice, bob = self.pair()
        targets = self.targets()
        phones = [bob, *(self.town.further(bob, f"phone{number}") for number in range(4))]
        for phone, target in zip(phones, targets, strict=True):
            phone.register(target)
        first, second = self.write(alice, bob), self.write(alice, bob)
        for target in targets:
            self.await_of(target, second)
        for number, (message, alone, badge) in enumerate([(second, second["id"], 1), (first, None, 0)], start=1):
            fields = {"conversation_id": message["conversation_id"], "message_id": message["id"]}
            alice.ask("messages/delete", {"id": str(uuid.uuid4()), **fields})
            for target in targets:
                with self.subTest(target["provider"], number=number):
                    clear = self.await_type(target, "clear", number)
                    self.assertEqual((clear["conversation_id"], clear["badge"]), (message["conversation_id"], badge))
                    self.assertEqual(clear.get("message_id"), alone)
                    self.assertEqual(clear["seq"], 0 if alone else second["seq"])

    def test_of_a_conversation_only_the_last_waits_at_a_push_service(self) -> None:
        alice, bob = self.pair()
        carol = self.person("carol")
        carol.start(bob)
        subscription = self.services.subscription()
        bob.register(subscription)
        for _ in range(3):
            last = self.write(alice, bob)
        other = self.write(carol, bob)
        self.await_of(subscription, last)
        self.await_of(subscription, other)
        waiting = self.services.call("/waiting", {"id": subscription["endpoint"].rpartition("/")[2]})
        self.assertEqual(waiting["replaced"], 2)
        self.assertEqual([found["seq"] for found in waiting["messages"]], [last["seq"], other["seq"]])

    def test_the_badge_counts_conversations_that_are_neither_muted_nor_archived(self) -> None:
        alice, bob = self.pair()
        carol = self.person("carol")
        carol.start(bob)
        at_bob = self.hook(bob)
        self.assertEqual(self.await_of(at_bob, self.write(alice, bob))["badge"], 1)
        muted = self.write(carol, bob)
        self.assertEqual(self.await_of(at_bob, muted)["badge"], 2)
        bob.ask("conversations/update", {"conversation_id": muted["conversation_id"], "is_muted": True})
        last = self.await_of(at_bob, self.write(alice, bob))
        self.assertEqual(last["badge"], 2)

    def test_the_topic_carries_the_same_notification_without_a_registration(self) -> None:
        alice, bob = self.pair()
        heard = Heard(self, bob)
        at_bob = self.hook(bob)
        message = self.write(alice, bob)
        pushed = self.await_of(at_bob, message)
        on_topic = heard.message(message)
        self.assertEqual(on_topic["device_id"], None)
        same = ("type", "user_id", "conversation_id", "seq", "epoch", "badge", "message")
        self.assertEqual({name: on_topic[name] for name in same}, {name: pushed[name] for name in same})


class Heard:
    """What an operator hears of a user's notifications: the user is not connected."""

    def __init__(self, case: PushTestCase, person: Person) -> None:
        self._device = case.enterContext(Device(case.gateway.data, Address("operator", "console")))
        self._device.subscribe(f"parley/v1/users/{person.user}/notifications")

    def message(self, message: Found) -> Found:
        return self._device.event(
            "the notification on the topic",
            lambda kind, data: kind == "notification.new" and PushTestCase.is_of(data, message),
        )


class Settings(PushTestCase):
    world = World()

    def started(self, **settings: object) -> None:
        directory = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="push-")))
        self.gateway = self.enterContext(Gateway(directory / "data", self.services, **settings))
        self.town = self.enterContext(Town(self.gateway))

    def setUp(self) -> None:
        self.world.services = world.services
        self.world.gateway, self.world.town = world.gateway, world.town
        super().setUp()

    def test_always(self) -> None:
        self.started(push_always=True)
        alice, bob = self.pair()
        at_bob = self.hook(bob)
        with bob:
            self.await_of(at_bob, self.write(alice, bob))

    def test_a_wake_up_says_nothing_but_that(self) -> None:
        self.started(push_content="wake_up")
        alice, bob = self.pair()
        targets = [self.hook(bob)]
        message = self.write(alice, bob)
        for target in targets:
            found = self.await_type(target, "wake_up")
            said = {name for name, value in found.items() if value is not None}
            allowed = {"id", "type", "user_id", "device_id", "badge", "badge_at", "is_read", "created_at", "expires_at"}
            self.assertEqual(said - allowed, set())
            self.assertNotIn(message["conversation_id"], json.dumps(found))

    def test_a_reference_has_no_message(self) -> None:
        self.started(push_content="reference")
        alice, bob = self.pair()
        at_bob = self.hook(bob)
        self.assertIsNone(self.await_of(at_bob, self.write(alice, bob))["message"])

    def test_the_sink_for_development_needs_no_service(self) -> None:
        file = Path(self.enterContext(tempfile.TemporaryDirectory())) / "pushes.jsonl"
        no_services = dict.fromkeys(self.services.settings)
        self.started(**no_services, push_sink=str(file))
        alice, bob = self.pair()
        message = self.write(alice, bob)
        self.eventually("a line in the sink", lambda: file.exists() and message["conversation_id"] in file.read_text())
        with self.town.further(bob, "tablet") as messenger:
            fields = {"conversation_id": message["conversation_id"], "message_id": message["id"]}
            messenger.device.request("receipts/read", fields)
        carol = self.person("carol", privacy="followers")
        alice.start(carol)
        self.write(alice, carol)
        for kind in ("clear", "message_request"):
            self.eventually(f"{kind} in the sink", lambda kind=kind: f'"type":"{kind}"' in file.read_text())


if __name__ == "__main__":
    unittest.main()
