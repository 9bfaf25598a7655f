"""Who is notified of what: each row of the rules, in a real gateway. What must not come is shown to be missing when
something later has come: one device's notifications go out one after the other."""

import tempfile
import unittest
from pathlib import Path

from case import Found, PushTestCase, World
from device import Refused
from gateway import Gateway
from messenger import Messenger
from people import Town

world = World()


def setUpModule() -> None:
    world.set_up()


class Whom(PushTestCase):
    world = world

    def test_who_is_not_connected_is_notified_and_who_is_connected_is_not(self) -> None:
        alice, bob, carol = self.staying("alice"), self.person("bob"), self.person("carol")
        at_bob, at_carol = self.hook(bob), self.hook(carol)
        group = self.town.group(alice, [bob, carol], self.world.marker)
        with bob as messenger:
            first = self.write(alice, group)
            self.await_of(at_carol, first)
            self.receive(messenger, first)
        second = self.write(alice, group)
        self.assert_only(at_bob, second)
        self.assert_only(at_carol, first, second)

    def test_what_was_sent_to_a_connection_that_has_received_nothing_is_notified_when_it_ends(self) -> None:
        alice, bob = self.pair()
        at_bob = self.hook(bob)
        with bob as messenger:
            received, lost = self.write(alice, bob), self.write(alice, bob)
            self.receive(messenger, received)
        self.assert_only(at_bob, lost)

    @staticmethod
    def receive(messenger: Messenger, message: Found) -> None:
        """As an app does, without which nobody knows that it has come."""
        fields = {"conversation_id": message["conversation_id"], "message_id": message["id"]}
        messenger.device.request("receipts/delivered", fields)

    def test_a_user_of_whose_devices_one_is_connected_is_not_notified_on_the_others(self) -> None:
        alice, bob = self.pair()
        at_phone = self.hook(bob)
        with self.town.further(bob, "tablet") as messenger:
            first = self.write(alice, bob)
            self.receive(messenger, first)
            carol = self.person("carol")
            at_carol = self.hook(carol)
            alice.start(carol)
            self.await_of(at_carol, self.write(alice, carol))
        second = self.write(alice, bob)
        self.assertGreater(second["seq"], first["seq"])
        self.assert_only(at_phone, second)

    def test_nobody_is_notified_of_what_they_have_sent_themselves(self) -> None:
        alice, bob = self.pair()
        tablet = self.town.further(alice, "tablet")
        at_tablet, at_bob = self.hook(tablet), self.hook(bob)
        own = self.write(alice, bob)
        alice.leave()
        self.await_of(at_bob, own)
        answer = self.write(bob, alice)
        self.assert_only(at_tablet, answer)

    def test_a_muted_conversation_is_silent_until_it_is_no_more(self) -> None:
        alice, bob = self.pair()
        at_bob = self.hook(bob)
        conversation = self.write(alice, bob)
        self.await_of(at_bob, conversation)
        mute = {"conversation_id": conversation["conversation_id"]}
        bob.ask("conversations/update", mute | {"is_muted": True})
        for silent in (self.write(alice, bob), self.write(alice, bob, is_urgent=True)):
            self.await_decision(silent, bob, "muted")
        bob.ask("conversations/update", mute | {"is_muted": False})
        after = self.write(alice, bob)
        self.assert_only(at_bob, conversation, after)

    def test_who_has_blocked_the_sender_hears_nothing_of_them_directly_nor_in_groups(self) -> None:
        alice, bob = self.pair()
        carol = self.person("carol")
        at_bob = self.hook(bob)
        group = self.town.group(alice, [bob, carol], self.world.marker)
        first = self.write(alice, bob)
        self.await_of(at_bob, first)
        bob.ask("social/block", {"user_id": alice.user})
        self.write(alice, group, is_urgent=True)
        try:
            self.write(alice, bob)
            self.write(alice, bob)
        except Refused as refusal:
            self.assertIn(refusal.code, ("request_limit", "stale_devices"))
        from_carol = self.write(carol, group)
        self.assert_only(at_bob, first, from_carol)

    def test_a_message_that_waits_to_be_accepted_is_a_request_without_the_message(self) -> None:
        alice, bob = self.staying("alice"), self.person("bob", privacy="followers")
        at_bob = self.hook(bob)
        conversation = alice.start(bob)
        waiting = self.write(alice, bob)
        request = self.await_type(at_bob, "message_request")
        self.assertIsNone(request["message"])
        self.assertEqual(request["conversation_id"], conversation)
        bob.ask("requests/accept", {"conversation_id": conversation})
        accepted = self.write(alice, bob)
        self.await_of(at_bob, accepted)
        self.assertEqual([found["type"] for found in self.taken(at_bob)], ["message_request", "message"])
        self.assertFalse(any(self.is_of(found, waiting) for found in self.taken(at_bob)))

    def test_who_has_left_or_was_removed_hears_no_more(self) -> None:
        alice, bob, carol = self.staying("alice"), self.person("bob"), self.person("carol")
        at_bob, at_carol = self.hook(bob), self.hook(carol)
        group = self.town.group(alice, [bob, carol], self.world.marker)
        first = self.write(alice, group)
        self.await_of(at_bob, first)
        alice.ask("conversations/remove-member", {"conversation_id": group, "user_id": bob.user})
        second = self.write(alice, group)
        self.await_of(at_carol, second)
        alice.start(bob)
        direct = self.write(alice, bob)
        self.await_of(at_bob, direct)
        # What the device still shows of the group is taken away.
        told = [(found["type"], found["conversation_id"]) for found in self.taken(at_bob)]
        self.assertEqual(told, [("message", group), ("clear", group), ("message", direct["conversation_id"])])

    def test_what_was_read_is_no_notification(self) -> None:
        alice, bob = self.pair()
        at_bob = self.hook(bob)
        with bob as messenger:
            messenger.hear(self.write(alice, bob)["conversation_id"])
            read = self.write(alice, bob)
            messenger.device.record(read["id"])
            fields = {"conversation_id": read["conversation_id"], "message_id": read["id"]}
            messenger.device.request("receipts/read", fields)
        after = self.write(alice, bob)
        self.await_of(at_bob, after)
        self.assertEqual([found["seq"] for found in self.taken(at_bob) if found["type"] == "message"], [after["seq"]])

    def test_the_feed_goes_out_as_well(self) -> None:
        alice, bob = self.pair()
        at_bob = self.hook(bob)
        fields = {"conversation_id": self.write(alice, bob)["conversation_id"]}
        self.await_type(at_bob, "message")
        own = self.write(bob, alice)
        react = alice.messenger.seal(
            fields["conversation_id"], {"emoji": "x"}, alice.messenger.recipients([alice.user, bob.user]), "nacl-box",
            kind="reaction", target=own["id"],
        )  # fmt: skip
        self.town.settle(alice)
        alice.ask("messages/react", react)
        reaction = self.await_type(at_bob, "reaction")
        self.assertEqual((reaction["actor_id"], reaction["message"]), (alice.user, None))


class Registrations(PushTestCase):
    world = world

    def test_another_registration_of_a_device_takes_the_place_of_the_first(self) -> None:
        alice, bob = self.pair()
        old = self.hook(bob)
        first = self.write(alice, bob)
        self.await_of(old, first)
        new = self.services.apns_device()
        bob.register(new)
        second = self.write(alice, bob)
        self.assert_only(new, second)
        self.assert_only(old, first)

    def test_a_token_belongs_to_one_device_and_leaves_whoever_had_it(self) -> None:
        alice, bob = self.pair()
        carol = self.person("carol")
        alice.start(carol)
        sold = self.services.fcm_device()
        bob.register(sold)
        first = self.write(alice, bob)
        self.await_of(sold, first)
        carol.register(sold)
        self.write(alice, bob)
        for_carol = self.write(alice, carol)
        self.assert_only(sold, first, for_carol)
        self.assertEqual({found["user_id"] for found in self.taken(sold)[1:]}, {carol.user})

    def test_who_knows_an_endpoint_and_not_its_secret_silences_nobody(self) -> None:
        alice, bob = self.pair()
        mallory = self.person("mallory")
        at_bob = self.hook(bob)
        subscription = self.services.subscription()
        tablet = self.town.further(bob, "tablet")
        tablet.register(subscription)
        mallory.register(at_bob | {"secret": "x" * 32})
        other = self.services.subscription()
        mallory.register(other | {"endpoint": subscription["endpoint"]})
        message = self.write(alice, bob)
        self.assert_only(at_bob, message)
        self.assert_only(subscription, message)
        mallory.register(at_bob)
        devices = bob.ask("devices/list")["devices"]
        self.assertEqual(
            {each["device_id"]: (each["push"] or {}).get("provider") for each in devices},
            {bob.address.device: None, "tablet": "webpush"},
        )

    def test_who_is_registered_no_more_hears_no_more(self) -> None:
        alice, bob = self.pair()
        tablet = self.town.further(bob, "tablet")
        at_phone, at_tablet = self.hook(bob), self.hook(tablet)
        first = self.write(alice, bob)
        self.await_of(at_phone, first)
        self.await_of(at_tablet, first)
        bob.ask("push/unregister")
        second = self.write(alice, bob)
        self.assert_only(at_tablet, first, second)
        self.assert_only(at_phone, first)

    def test_a_device_that_was_revoked_hears_no_more(self) -> None:
        alice, bob = self.pair()
        tablet = self.town.further(bob, "tablet")
        at_phone, at_tablet = self.hook(bob), self.hook(tablet)
        first = self.write(alice, bob)
        self.await_of(at_tablet, first)
        self.await_of(at_phone, first)
        self.town.tool.run("device", "revoke", *tablet.address)
        second = self.write(alice, bob)
        self.assert_only(at_phone, first, second)
        self.assert_only(at_tablet, first)

    def test_malformed_registrations_are_refused_and_the_last_one_stays(self) -> None:
        alice, bob = self.pair()
        at_bob = self.hook(bob)
        subscription = self.services.subscription()
        off_curve = "B" + "A" * 86
        cases = [
            {"provider": "pigeon", "token": "00" * 32},
            {"provider": "apns", "token": "xyz", "topic": "app.parley"},
            {"provider": "apns", "token": "0" * 63, "topic": "app.parley"},
            {"provider": "apns", "token": "00" * 32, "topic": "a\r\nb"},
            {"provider": "fcm", "token": ""},
            {"provider": "fcm", "token": "a b"},
            {"provider": "fcm", "token": "x" * 10_000},
            subscription | {"p256dh": off_curve},
            subscription | {"p256dh": subscription["p256dh"][:-2]},
            subscription | {"p256dh": "not base64"},
            subscription | {"auth": "AAAA"},
            subscription | {"endpoint": "https://user@localhost/"},
            subscription | {"endpoint": "ftp://localhost/"},
            subscription | {"endpoint": "https://localhost/" + "x" * 100_000},
            subscription | {"endpoint": "https:///x"},
            {"provider": "webhook", "endpoint": at_bob["endpoint"], "secret": "short"},
            {"provider": "webhook", "endpoint": at_bob["endpoint"], "secret": "x" * 257},
            {"provider": "webhook", "endpoint": "javascript:alert(1)", "secret": "x" * 32},
        ]
        with bob as messenger:
            for target in cases:
                with self.subTest(target), self.assertRaises(Refused) as refused:
                    messenger.device.request("push/register", target)
                self.assertEqual(refused.exception.code, "bad_request")
        self.assert_only(at_bob, self.write(alice, bob))


class Internal(PushTestCase):
    """Without the setting for development."""

    world = World()

    @classmethod
    def setUpClass(cls) -> None:
        directory = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="push-")))
        cls.world.services = world.services
        gateway = Gateway(directory / "data", world.services, push_allow_private_endpoints=False)
        cls.world.gateway = cls.enterClassContext(gateway)
        cls.world.town = cls.enterClassContext(Town(gateway))

    def test_urls_of_the_gateways_own_network_are_refused(self) -> None:
        bob = self.person("bob")
        hosts = [
            "127.0.0.1", "127.1", "localhost", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254",
            "100.64.0.1", "[::1]", "[::]", "[fe80::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "printer.local", "intranet",
            "metadata.google.internal", "2130706433", "0x7f.1", "224.0.0.1", "255.255.255.255", "[64:ff9b::7f00:1]",
        ]  # fmt: skip
        subscription = self.services.subscription()
        with bob as messenger:
            for host in hosts:
                for target in (
                    {"provider": "webhook", "endpoint": f"https://{host}/hook", "secret": "x" * 32},
                    subscription | {"endpoint": f"https://{host}:8443/wpush/x"},
                ):
                    with self.subTest(target["endpoint"]), self.assertRaises(Refused) as refused:
                        messenger.device.request("push/register", target)
                    self.assertEqual(refused.exception.code, "bad_request")
            with self.assertRaises(Refused):
                hook = {"provider": "webhook", "endpoint": "http://push.example/hook", "secret": "x" * 32}
                messenger.device.request("push/register", hook)


if __name__ == "__main__":
    unittest.main()
