"""Two `parley` processes and this implementation chat with each other through a real gateway.

Run by scripts/test-interop.sh, which names the gateway in PARLEY_DATA and the tool in PARLEY_TOOL.
"""

import base64
import contextlib
import itertools
import json
import os
import unittest
from pathlib import Path
from typing import Any

import ciphers
from accounts import Account, Link
from device import Device, Record, eventually
from identities import Address, direct_conversation_id, safety_number
from messenger import DIRECT_SUITES, Messenger, text_of
from tool import Line, Listener, Tool, ToolFailed

# Arguments are UTF-8 and what is sealed is JSON: both have their pitfalls here.
TEXTS = ["hello", "naïve – 你好 – 👩‍👩‍👧‍👦 – a\u0301 – \"quoted\" \\ {\"text\":1} \t\nsecond line\u2028"]
# In bytes of UTF-8.
LONG = "ä" * (30 * 1024)

# The programs of a run have one gateway, and none has another's devices.
names = (f"-{os.getpid()}-{number}" for number in itertools.count(1))


class ChatTestCase(unittest.TestCase):
    """Users of its own for each class: `self.alice` and `self.bob` with Swift phones, `self.paula` with a laptop."""

    tool: Tool
    stack: contextlib.ExitStack

    @classmethod
    def setUpClass(cls) -> None:
        cls.tool = Tool(Path(os.environ["PARLEY_TOOL"]), Path(os.environ["PARLEY_DATA"]))
        cls.stack = contextlib.ExitStack()
        cls.addClassCleanup(cls.stack.close)
        number = next(names)
        cls.alice, cls.bob = (cls.tool.add(Address(name + number, "phone")) for name in ("alice", "bob"))
        cls.paula = cls.messenger(cls.tool.add(Address("paula" + number, "laptop")))

    @classmethod
    def messenger(cls, address: Address) -> Messenger:
        messenger = Messenger(cls.stack.enter_context(Device(cls.tool.data, address)))
        messenger.publish_keys()
        return messenger

    @classmethod
    def link(cls, messenger: Messenger, approver: Address) -> tuple[Account, str]:
        """Has a device of the tool's link one of Python's: the account key, and what the tool has printed."""
        messenger.device.subscribe(f"parley/v1/users/{messenger.address.user}/events")
        link = Link(messenger.address, messenger.keys.public, bytes(messenger.signing.verify_key))
        offer = {"identity_key": link.identity, "signing_key": link.signing, "link_key": link.link_key}
        messenger.device.request("links/offer", {name: text_of(value) for name, value in offer.items()})
        printed = cls.tool.run("link", "approve", "--as", "/".join(approver), "--yes", link.code)
        approval = messenger.device.event(
            "the approval",
            lambda kind, data: kind == "link.approved" and data["device_id"] == messenger.address.device,
        )
        account = link.account(base64.b64decode(approval["sealed"]))
        certificate = {"account_key": account.public, "certificate": base64.b64decode(approval["certificate"])}
        messenger.publish_keys(certificate, approval["issued_at"])
        return account, printed

    @classmethod
    def listen(cls, address: Address, *options: str) -> Listener:
        return cls.stack.enter_context(Listener(cls.tool, address, *options))

    @classmethod
    def await_keys(cls, *addresses: Address) -> None:
        """A device of the tool's publishes its keys when its subscriptions stand: from then on it hears all."""
        eventually(
            f"keys of {addresses}",
            lambda: all(address in cls.paula.fetch_keys(address.user) for address in addresses),
        )

    def assert_shown(self, line: Line, text: str, sender: Address, suite: str) -> None:
        self.assertEqual(line["content"], {"text": text})
        self.assertEqual((line["sender_id"], line["sender_device_id"], line["suite"]), (*sender, suite))

    def assert_opened(self, messenger: Messenger, message_id: str, text: str, sender: Address, suite: str) -> Record:
        record = messenger.device.record(message_id)
        self.assertEqual(messenger.open(record), {"text": text})
        self.assertEqual((record["sender_id"], record["sender_device_id"], record["suite"]), (*sender, suite))
        return record


class OneDeviceEach(ChatTestCase):
    """Direct conversations in which content is sealed between two devices' keys, without `recipient_keys`."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.with_alice = cls.paula.conversation_with(cls.alice.user)
        cls.with_bob = cls.paula.conversation_with(cls.bob.user)
        cls.at_alice, cls.at_bob = cls.listen(cls.alice), cls.listen(cls.bob)
        cls.await_keys(cls.alice, cls.bob)

    def to_alice(self, text: str, suite: str = DIRECT_SUITES[0], **more: Any) -> str:
        members = [self.alice.user, self.paula.address.user]
        return self.paula.send(self.with_alice, members, {"text": text}, suite, **more)

    def test_swift_to_swift(self) -> None:
        for suite, text in itertools.product(DIRECT_SUITES, TEXTS):
            sent = self.tool.send(self.alice, text, "--to", self.bob.user, "--suite", suite)
            self.assert_shown(self.at_bob.opened(sent["id"]), text, self.alice, suite)
            sent = self.tool.send(self.bob, text, "--to", self.alice.user, "--suite", suite)
            self.assert_shown(self.at_alice.opened(sent["id"]), text, self.bob, suite)

    def test_swift_to_python(self) -> None:
        for suite, text in itertools.product(DIRECT_SUITES, [*TEXTS, LONG]):
            sent = self.tool.send(self.alice, text, "--to", self.paula.address.user, "--suite", suite)
            record = self.assert_opened(self.paula, sent["id"], text, self.alice, suite)
            self.assertIsNone(record["recipient_keys"])

    def test_python_to_swift(self) -> None:
        for suite, text in itertools.product(DIRECT_SUITES, [*TEXTS, LONG]):
            line = self.at_alice.opened(self.to_alice(text, suite))
            self.assert_shown(line, text, self.paula.address, suite)

    def test_a_reply_and_an_expiry_are_part_of_what_is_sealed(self) -> None:
        first = self.tool.send(self.alice, "a question", "--to", self.paula.address.user)
        for suite in DIRECT_SUITES:
            line = self.at_alice.opened(self.to_alice("an answer", suite, reply_to=first["id"], expires_in=3600))
            self.assert_shown(line, "an answer", self.paula.address, suite)
            self.assertEqual(line["reply_to"], first["id"])
            self.assertIsNotNone(line["expires_at"])

    def test_what_python_edits_reacts_to_and_deletes_swift_shows(self) -> None:
        members = [self.alice.user, self.paula.address.user]
        for suite in DIRECT_SUITES:
            first = self.to_alice("first", suite)
            edit = self.paula.edit(self.with_alice, members, first, "second – zweites", suite)
            line = self.at_alice.opened(edit)
            self.assert_shown(line, "second – zweites", self.paula.address, suite)
            self.assertEqual((line["kind"], line["target_id"], line["message_type"]), ("edit", first, "text"))
            reaction = self.at_alice.opened(self.paula.react(self.with_alice, members, first, "👩‍👩‍👧‍👦", suite))
            self.assertEqual((reaction["kind"], reaction["content"]), ("reaction", {"emoji": "👩‍👩‍👧‍👦"}))
            deletion = self.at_alice.opened(self.paula.delete(self.with_alice, first))
            self.assertEqual((deletion["kind"], deletion["content"]), ("delete", None))

    def test_what_swift_edits_reacts_to_and_deletes_python_opens(self) -> None:
        for suite in DIRECT_SUITES:
            first = self.tool.send(self.alice, "first", "--to", self.paula.address.user, "--suite", suite)["id"]
            theirs = self.to_alice("theirs", suite)
            edit = self.change(self.alice, "edit", first, "second")
            record = self.paula.device.record(edit)
            self.assertEqual(self.paula.open(record), {"text": "second"})
            self.assertEqual((record["kind"], record["target_id"], record["message_type"]), ("edit", first, "text"))
            reaction = self.paula.device.record(self.change(self.alice, "react", theirs, "👍"))
            self.assertEqual(self.paula.open(reaction), {"emoji": "👍"})
            deletion = self.paula.device.record(self.change(self.alice, "delete", first))
            self.assertEqual((deletion["target_id"], deletion["encrypted_content"]), (first, None))
            by_id = {record["id"]: record for record in self.paula.history(self.with_alice)}
            self.assertEqual([by_id[record]["encrypted_content"] for record in (first, edit)], [None, None])

    def test_a_change_that_was_moved_to_another_message_or_made_another_kind_is_refused(self) -> None:
        members = [self.alice.user, self.paula.address.user]
        for suite in DIRECT_SUITES:
            first, second = self.to_alice("one", suite), self.to_alice("two", suite)
            recipients = self.paula.recipients(members)
            content = {"text": "moved", "emoji": "x"}
            fields = self.paula.seal(self.with_alice, content, recipients, suite, kind="edit", target=first)
            self.paula.device.request("messages/edit", fields | {"message_id": second})
            self.assertIn(self.at_alice.refused(fields["id"]), ["not_authentic", "header_mismatch"])
            fields = self.paula.seal(self.with_alice, content, recipients, suite, kind="edit", target=first)
            self.paula.device.request("messages/react", fields)
            self.assertIn(self.at_alice.refused(fields["id"]), ["not_authentic", "header_mismatch"])

    def change(self, address: Address, verb: str, message: str, *text: str) -> str:
        """What the tool answers to a change in the conversation of alice and paula."""
        arguments = (verb, "--as", "/".join(address), "--conversation", self.with_alice, message, *text)
        return json.loads(self.tool.run(*arguments))["data"]["id"]

    def test_unknown_fields_are_ignored(self) -> None:
        content = {"text": "from a later version", "mood": {"later": [1, 2, 3]}}
        recipients = self.paula.recipients([self.alice.user])
        fields = self.paula.seal(self.with_alice, content, recipients, "nacl-box") | {"later": {"a": [None]}}
        self.paula.device.request("messages/send", fields)
        self.assertEqual(self.at_alice.opened(fields["id"])["content"]["text"], content["text"])

    def test_what_was_tampered_with_shows_in_its_place_and_the_next_is_fine(self) -> None:
        for suite in DIRECT_SUITES:
            recipients = self.paula.recipients([self.alice.user])
            fields = self.paula.seal(self.with_alice, {"text": "tampered"}, recipients, suite)
            content = bytearray(base64.b64decode(fields["encrypted_content"]))
            content[-1] ^= 1
            self.paula.device.request("messages/send", fields | {"encrypted_content": text_of(content)})
            next_id = self.to_alice("and on it goes", suite)
            self.assert_shown(self.at_alice.opened(next_id), "and on it goes", self.paula.address, suite)
            self.assertEqual(self.at_alice.refused(fields["id"]), "not_authentic")
            shown = [line["id"] for line in self.at_alice.lines if line["id"] in (fields["id"], next_id)]
            self.assertEqual(shown, [fields["id"], next_id])

    def test_a_replay_under_another_id_is_refused(self) -> None:
        for suite in DIRECT_SUITES:
            recipients = self.paula.recipients([self.alice.user])
            fields = self.paula.seal(self.with_alice, {"text": "once"}, recipients, suite)
            self.paula.device.request("messages/send", fields)
            replay = fields | {"id": "11111111" + fields["id"][8:]}
            self.paula.device.request("messages/send", replay)
            self.assert_shown(self.at_alice.opened(fields["id"]), "once", self.paula.address, suite)
            code = "header_mismatch" if suite == "nacl-box" else "not_authentic"
            self.assertEqual(self.at_alice.refused(replay["id"]), code)
            # This side refuses it as well.
            record = self.paula.device.record(replay["id"])
            with self.assertRaises((ciphers.NotAuthentic, ciphers.HeaderMismatch)):
                self.paula.open(record)

    def test_what_an_old_app_has_sealed_opens_with_a_mark(self) -> None:
        key = self.paula.recipients([self.alice.user])[self.alice]
        for content in (b'{"text":"from an old app"}', b"from an old app"):
            fields = self.paula.seal_as_old_app(self.with_alice, content, key)
            # Nothing binds it to its id: a repeat opens, with the same mark.
            for message_id in (fields["id"], "33333333" + fields["id"][8:]):
                self.paula.device.request("messages/send", fields | {"id": message_id})
                line = self.at_alice.opened(message_id)
                self.assert_shown(line, "from an old app", self.paula.address, "legacy-nacl-box")
                self.assertEqual(line["protection"], "legacy")
        self.assertNotIn("protection", self.at_alice.opened(self.to_alice("from an app of today")))

    def test_what_alice_sent_cannot_be_sent_back_to_her(self) -> None:
        sent = self.tool.send(self.alice, "reflect me", "--to", self.paula.address.user)
        record = self.paula.device.record(sent["id"])
        copied = ["conversation_id", "message_type", "suite", "encrypted_content", "nonce"]
        fields = {name: record[name] for name in copied} | {"id": "22222222" + record["id"][8:]}
        self.paula.device.request("messages/send", fields)
        self.assertEqual(self.at_alice.refused(fields["id"]), "not_authentic")

    def test_both_open_the_whole_history(self) -> None:
        for text in ("one", "two", "three"):
            self.tool.send(self.bob, "bob's " + text, "--to", self.paula.address.user)
            members = [self.bob.user, self.paula.address.user]
            self.paula.send(self.with_bob, members, {"text": "paula's " + text}, "nacl-box")
        expected = [f"{who}'s {text}" for text in ("one", "two", "three") for who in ("bob", "paula")]
        records = self.paula.history(self.with_bob)
        self.assertEqual([self.paula.open(record)["text"] for record in records], expected)
        again = self.listen(self.bob, "--conversation", self.with_bob, "--history", "6")
        again.wait(lambda: len(again.lines) == 6, "six messages of the history")
        self.assertEqual([line["content"]["text"] for line in again.lines], expected)

    def test_both_compute_the_same_safety_number(self) -> None:
        paula = self.paula.address.user
        # Paula's laptop knows no account keys, Alice's phone has made one.
        expected = safety_number(*map(self.paula.fingerprint, (paula, self.alice.user)))
        printed = self.tool.run("safety-number", "--as", "/".join(self.alice), "--with", paula)
        self.assertIn(expected, "".join(character for character in printed if character.isdigit()))


class SeveralDevices(ChatTestCase):
    """A second device of a user: content keys go to each by `recipient_keys`, also in a direct conversation."""

    def test_a_second_device_reads_what_is_sent_to_its_user_and_by_its_user(self) -> None:
        for user in (self.alice.user, self.bob.user):
            self.paula.conversation_with(user)
        at_alice, at_bob = self.listen(self.alice), self.listen(self.bob)
        self.await_keys(self.alice, self.bob)
        conversation = direct_conversation_id(self.alice.user, self.bob.user)
        first = self.tool.send(self.alice, "to one device", "--to", self.bob.user)
        self.assert_shown(at_bob.opened(first["id"]), "to one device", self.alice, DIRECT_SUITES[0])
        # From here on alice's tool learns of the new device by itself.
        tablet = self.messenger(self.tool.add(Address(self.bob.user, "tablet"), new_user=False))
        self.link(tablet, self.bob)
        tablet.hear(conversation)
        for suite in DIRECT_SUITES:
            sent = self.tool.send(self.alice, "to both", "--to", self.bob.user, "--suite", suite)
            record = self.assert_opened(tablet, sent["id"], "to both", self.alice, suite)
            self.assertEqual(len(record["recipient_keys"]), 2)
            self.assert_shown(at_bob.opened(sent["id"]), "to both", self.alice, suite)
            sent = self.tool.send(self.bob, "from the phone", "--to", self.alice.user, "--suite", suite)
            self.assert_opened(tablet, sent["id"], "from the phone", self.bob, suite)
            self.assert_shown(at_alice.opened(sent["id"]), "from the phone", self.bob, suite)
            members = [self.alice.user, self.bob.user]
            sent_id = tablet.send(conversation, members, {"text": "from the tablet"}, suite)
            self.assert_shown(at_bob.opened(sent_id), "from the tablet", tablet.address, suite)
            self.assert_shown(at_alice.opened(sent_id), "from the tablet", tablet.address, suite)
        before = tablet.history(conversation)[0]
        self.assertIsNone(before["recipient_keys"])
        with self.assertRaises(ciphers.NotAuthentic):
            tablet.open(before)

    def test_the_safety_number_is_of_all_devices(self) -> None:
        self.messenger(self.tool.add(Address(self.paula.address.user, "tablet"), new_user=False))
        self.tool.send(self.alice, "makes alice's keys", "--to", self.paula.address.user)
        users = [self.paula.address.user, self.alice.user]
        self.assertEqual([len(self.paula.fetch_keys(user)) for user in users], [2, 1])
        printed = self.tool.run("safety-number", "--as", "/".join(self.alice), "--with", users[0])
        expected = safety_number(*map(self.paula.fingerprint, users))
        self.assertIn(expected, "".join(character for character in printed if character.isdigit()))


class Group(ChatTestCase):
    """A group conversation: `group-box`, with a key for each device."""

    def test_everybody_reads_everybody(self) -> None:
        others = [self.bob.user, self.paula.address.user]
        group = {"type": "group", "name": "Läufer", "participant_ids": others}
        conversation = self.tool.request(self.alice, "conversations/create", group)["id"]
        at_alice, at_bob = self.listen(self.alice), self.listen(self.bob)
        self.await_keys(self.alice, self.bob)
        self.paula.hear(conversation)
        for text in [*TEXTS, LONG]:
            for sender, other in ((self.alice, at_bob), (self.bob, at_alice)):
                sent = self.tool.send(sender, text, "--conversation", conversation)
                self.assert_opened(self.paula, sent["id"], text, sender, "group-box")
                self.assert_shown(other.opened(sent["id"]), text, sender, "group-box")
            sent_id = self.paula.send(conversation, [self.alice.user, *others], {"text": text}, "group-box")
            for listener in (at_alice, at_bob):
                self.assert_shown(listener.opened(sent_id), text, self.paula.address, "group-box")
            self.assert_opened(self.paula, sent_id, text, self.paula.address, "group-box")
        self.assert_nobody_speaks_for_another(conversation, at_alice)

    def assert_nobody_speaks_for_another(self, conversation: str, at_alice: Listener) -> None:
        """Paula sends what bob has sealed as her own, each key where the gateway wants one."""
        sent = self.tool.send(self.bob, "bob's words", "--conversation", conversation)
        record = self.paula.device.record(sent["id"])
        copied = ["conversation_id", "message_type", "suite", "encrypted_content", "nonce", "recipient_keys"]
        forged = {name: record[name] for name in copied} | {"id": "33333333" + record["id"][8:]}
        mine = {"user_id": self.paula.address.user, "device_id": self.paula.address.device}
        forged["recipient_keys"] = [
            {"encrypted_key": key["encrypted_key"], "user_id": self.bob.user, "device_id": self.bob.device}
            if {name: key[name] for name in mine} == mine else key
            for key in forged["recipient_keys"]
        ]  # fmt: skip
        self.paula.device.request("messages/send", forged)
        self.assertEqual(at_alice.refused(forged["id"]), "not_authentic")


class ChangedKeys(ChatTestCase):
    """A device whose key is another than it was."""

    def test_a_changed_key_stops_sending_until_it_is_accepted(self) -> None:
        paula = self.paula.address.user
        conversation = self.paula.conversation_with(self.alice.user)
        at_alice = self.listen(self.alice)
        self.await_keys(self.alice)
        self.tool.send(self.alice, "to the first key", "--to", paula)
        self.paula.renew_keys()
        with self.assertRaises(ToolFailed):
            self.tool.send(self.alice, "to whom?", "--to", paula)
        members = [self.alice.user, paula]
        sent_id = self.paula.send(conversation, members, {"text": "it is me"}, "nacl-box")
        # Not authentic: she does not know of the change yet.
        self.assertIn(at_alice.refused(sent_id), ["sender_key_changed", "not_authentic"])
        number = self.tool.run("safety-number", "--as", "/".join(self.alice), "--with", paula)
        self.tool.run("accept-key", "--as", "/".join(self.alice), "--with", paula, number.strip())
        sent = self.tool.send(self.alice, "to the second key", "--to", paula)
        self.assert_opened(self.paula, sent["id"], "to the second key", self.alice, DIRECT_SUITES[0])
        # What could not be opened before comes once more, to those who have shown its error too.
        self.assert_shown(at_alice.opened(sent_id), "it is me", self.paula.address, "nacl-box")


if __name__ == "__main__":
    unittest.main(verbosity=2)
