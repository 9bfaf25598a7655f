"""Account keys between `parley` and this implementation: linking both ways, comparing, recovering.

Run by scripts/test-interop.sh, which names the gateway in PARLEY_DATA and the tool in PARLEY_TOOL.
"""

import base64
import unittest

import accounts
from accounts import Account, Link
from chat import ChatTestCase
from device import Device
from identities import Address, safety_number
from messenger import Messenger, text_of
from tool import ToolFailed


class Linking(ChatTestCase):
    """`self.alice` and `self.bob` have Swift phones that made their account keys; `self.paula` a laptop of Python's."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        # The tool makes account keys when it first runs.
        for address in (cls.alice, cls.bob):
            cls.tool.run("devices", "--as", "/".join(address))
        cls.account = Account()
        cls.publish(cls.paula, cls.account)

    @staticmethod
    def publish(messenger: Messenger, account: Account, certificate: tuple[bytes, str] | None = None) -> None:
        signing = messenger.signing
        certificate, issued_at = certificate or account.certify(
            messenger.address, messenger.keys.public, bytes(signing.verify_key)
        )
        messenger.publish_keys({"account_key": account.public, "certificate": certificate}, issued_at)

    def listing(self, user: str) -> dict:
        return self.paula.device.request("keys/get", {"user_id": user})

    def account_of(self, user: str) -> bytes:
        return base64.b64decode(self.listing(user)["account_key"])

    def assert_certified(self, address: Address) -> None:
        listing = self.listing(address.user)
        (entry,) = (each for each in listing["devices"] if each["device_id"] == address.device)
        identity, signing, certificate = (
            base64.b64decode(entry[name]) for name in ("identity_key", "signing_key", "certificate")
        )
        account = base64.b64decode(listing["account_key"])
        self.assertTrue(
            accounts.is_certified(account, address, identity, signing, certificate, entry["issued_at"]), address
        )

    def test_the_first_swift_device_certifies_itself(self) -> None:
        self.assert_certified(self.alice)

    def test_both_see_the_same_safety_number_and_scan_each_other(self) -> None:
        alice, paula = self.alice.user, self.paula.address.user
        expected = safety_number(*map(self.paula.fingerprint, (alice, paula)))
        shown = self.tool.run("safety-number", "--as", "/".join(self.alice), "--with", paula)
        self.assertEqual(shown.replace(" ", "").strip(), expected)
        code = accounts.safety_code(paula, self.account.public, alice, self.account_of(alice))
        self.tool.run("verify", "--as", "/".join(self.alice), "--with", paula, code)
        wrong = accounts.safety_code(paula, Account().public, alice, self.account_of(alice))
        self.assertEqual(self.failure("verify", "--as", "/".join(self.alice), "--with", paula, wrong).status, 1)

    def test_a_swift_phone_links_a_python_laptop(self) -> None:
        address = self.tool.add(Address(self.alice.user, "notebook"), new_user=False)
        notebook = Messenger(self.stack.enter_context(Device(self.tool.data, address)))
        account, printed = self.link(notebook, self.alice)
        self.assertEqual(account.public, self.account_of(address.user))
        self.assertIn(" ".join(account.groups(address.user)[:3]), printed)
        self.assert_certified(address)
        # Others seal for it from then on, without anybody's accepting anything.
        sent = self.tool.send(self.bob, "for both", "--to", address.user)
        conversation = notebook.conversation_with(self.bob.user)
        record = next(each for each in notebook.history(conversation) if each["id"] == sent["id"])
        self.assertEqual(notebook.open(record), {"text": "for both"})

    def test_a_code_approves_once_and_only_what_it_names(self) -> None:
        address = self.tool.add(Address(self.alice.user, "watch"), new_user=False)
        watch = Messenger(self.stack.enter_context(Device(self.tool.data, address)))
        link = Link(address, watch.keys.public, bytes(watch.signing.verify_key))
        approve = "link", "approve", "--as", "/".join(self.alice), "--yes"
        self.assertEqual(self.failure(*approve, link.code).status, 1)
        offer = {"identity_key": link.identity, "signing_key": link.signing, "link_key": link.link_key}
        watch.device.request("links/offer", {name: text_of(value) for name, value in offer.items()})
        changed = link.code[:-2] + ("A" if link.code[-2] != "A" else "B") + link.code[-1]
        self.assertEqual(self.failure(*approve, changed).status, 1)
        self.tool.run(*approve, link.code)
        self.assertEqual(self.failure(*approve, link.code).status, 1)

    def test_a_python_laptop_links_a_swift_phone(self) -> None:
        address = self.tool.add(Address(self.paula.address.user, "phone"), new_user=False)
        digits = " ".join(self.account.groups(address.user)[:3])
        process = self.tool.start("link", "--as", "/".join(address), "--confirm", digits)
        code = process.stdout.readline().strip()
        offer = self.paula.device.request("links/get", {"device_id": address.device})
        identity, signing, link_key = (
            base64.b64decode(offer[name]) for name in ("identity_key", "signing_key", "link_key")
        )
        self.assertEqual(code, accounts.link_code(address, identity, signing, link_key))
        certificate, issued_at = self.account.certify(address, identity, signing)
        self.paula.device.request(
            "links/approve",
            {
                "device_id": address.device, "certificate": text_of(certificate), "issued_at": issued_at,
                "sealed": text_of(self.account.sealed_for(link_key)),
            },
        )  # fmt: skip
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, errors)
        self.assert_certified(address)

    def test_recovery_goes_both_ways(self) -> None:
        # By the tool, opened here.
        text = self.tool.run("account", "backup", "--as", "/".join(self.bob)).strip()
        blob = base64.b64decode(self.tool.request(self.bob, "account/get-backup", {})["blob"])
        account = Account.restored(blob, self.bob.user, accounts.recovery_key(text))
        self.assertEqual(account.public, self.account_of(self.bob.user))
        # Made here, recovered by the tool on a device that has nothing.
        key = accounts.new_recovery_key()
        blob = self.account.backup(self.paula.address.user, key)
        self.paula.device.request("account/backup", {"blob": text_of(blob)})
        address = self.tool.add(Address(self.paula.address.user, "tablet"), new_user=False)
        recover = "account", "recover", "--as", "/".join(address)
        with self.assertRaises(ToolFailed):
            self.tool.run(*recover, stdin=accounts.recovery_text(accounts.new_recovery_key()))
        self.tool.run(*recover, stdin=accounts.recovery_text(key).lower())
        self.assert_certified(address)

    def failure(self, *arguments: str) -> ToolFailed:
        with self.assertRaises(ToolFailed) as caught:
            self.tool.run(*arguments)
        return caught.exception


if __name__ == "__main__":
    unittest.main()
