"""docs/vectors: values of names, keys, certificates, sealed messages and numbers, for clients in other languages.

Made here with keys that are no secret. The same values are reproduced by the client that docs/python shows, below, and by
the project's own code in PublishedVectorTests.swift. Usage: vectors.py [--write]
"""

import base64
import json
import sys
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nacl.bindings as sodium
from nacl.public import PrivateKey
from nacl.signing import SigningKey

import accounts
import ciphers
import figures
from accounts import Account, key_id, link_code, recovery_text, safety_code
from ciphers import Header, Pair
from figures import ALICE, PAULA, TABLET, fixed, secret
from identities import Address, account_fingerprint, devices_fingerprint, direct_conversation_id, field, safety_number, signed_keys

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "docs" / "vectors"
sys.path.insert(0, str(ROOT / "docs" / "python"))
import sealing  # noqa: E402

GROUP = figures.GROUP
ISSUED_AT = "2026-01-15T09:30:00.250Z"
AES = "x25519-hkdf-sha256-aes256gcm"
Entry = dict[str, Any]


def text_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


# names.json


def names() -> Entry:
    pairs = [("alice", "paula"), ("paula", "alice"), ("Bob", "alice"), ("a", "ab"), ("-_9", "Z" * 64)]
    message, conversation = "0b0c7a52-1111-4222-8333-000000000001", direct_conversation_id("alice", "paula")
    topics = {
        "request": "up/alice/phone/messages/send", "accepted": "down/alice/phone/messages/send/accepted",
        "rejected": "down/alice/phone/messages/send/rejected", "messages": f"conversations/{conversation}/messages",
        "receipts": f"conversations/{conversation}/receipts", "typing": f"conversations/{conversation}/typing",
        "info": f"conversations/{conversation}/info", "challenges": f"conversations/{conversation}/challenges",
        "events": "users/alice/events", "notifications": "users/alice/notifications",
        "presence": "users/alice/presence", "activity": "users/alice/activity",
        "check-ins": f"groups/{GROUP}/leaderboards/check-ins", "streak": f"groups/{GROUP}/leaderboards/streak",
        "group": f"groups/{GROUP}/events", "status": "gateway/status",
    }  # fmt: skip
    return {
        "direct_conversations": [{"users": pair, "conversation_id": direct_conversation_id(*pair)} for pair in pairs],
        "topics": [{"what": what, "topic": f"parley/v1/{topic}"} for what, topic in topics.items()],
        "message_id": message,
    }


# devices.json


def account_of(user: str) -> Account:
    return Account(fixed(f"account {user}"))


def device(address: Address) -> Entry:
    keys, signing = secret(address), SigningKey(fixed(f"signing {address.user}/{address.device}"))
    account, signed = account_of(address.user), signed_keys(address, keys.public, signing)
    part = accounts._certified_part(address, keys.public, signed["signing_key"], ISSUED_AT)
    certificate = account._key.sign(part).signature
    return {
        "user_id": address.user, "device_id": address.device, "identity_secret": keys.secret.hex(),
        "identity_key": keys.public.hex(), "key_id": key_id(keys.public).hex(), "signing_seed": bytes(signing).hex(),
        "signing_key": signed["signing_key"].hex(), "signature": signed["signature"].hex(),
        "account_seed": account.seed.hex(), "account_key": account.public.hex(), "issued_at": ISSUED_AT,
        "issued_at_milliseconds": accounts.milliseconds(ISSUED_AT), "certified_bytes": part.hex(),
        "certificate": certificate.hex(),
    }  # fmt: skip


# messages.json


def message(number: int, suite: str, conversation: str, to: list[Address], content: Entry, **header: Any) -> Entry:
    """A record as it comes, and every value on the way to it."""
    drawn: list[bytes] = []

    def random(length: int) -> bytes:
        drawn.append(fixed(f"vector {number} {len(drawn)}")[:length])
        return drawn[-1]

    sealed_as = Header(suite, conversation, f"0b0c7a52-2222-4222-8333-{number:012}", ALICE, **header)
    is_direct = suite != "group-box" and len(to) == 1
    recipients = secret(to[0]).public if is_direct else {address: secret(address).public for address in to}
    plaintext = json.dumps(content, ensure_ascii=False).encode()
    sealed = ciphers.seal(plaintext, sealed_as, secret(ALICE), recipients, random)
    pairs = [Pair(secret(ALICE), secret(address).public, True) for address in to]
    keys = None if sealed.keys is None else [
        {"user_id": address.user, "device_id": address.device, "encrypted_key": text_of(key),
         "key_id": text_of(key_id(secret(address).public))}
        for address, key in sealed.keys.items()
    ]  # fmt: skip
    expires_at = None if sealed_as.expires_in is None else "2026-01-16T09:30:00.000Z"
    record = {
        "id": sealed_as.id, "conversation_id": conversation, "epoch": "k3Jx9w", "seq": number,
        "kind": sealed_as.kind, "target_id": sealed_as.target, "sender_id": ALICE.user,
        "sender_device_id": ALICE.device, "message_type": sealed_as.type, "suite": suite,
        "encrypted_content": text_of(sealed.content), "nonce": text_of(sealed.nonce), "recipient_keys": keys,
        "reply_to": sealed_as.reply_to, "expires_at": expires_at, "created_at": "2026-01-15T09:30:00.000Z",
    }  # fmt: skip
    return {
        "record": record, "recipients": ["/".join(address) for address in to], "content": plaintext.decode(),
        "random": b"".join(drawn).hex(), "header": sealed_as.bytes.hex(),
        "pairwise_keys": [ciphers.SUITES[suite].pairwise(pair, sealed_as).hex() for pair in pairs],
        "content_key": None if is_direct else drawn[1].hex(),
        "commitment": None if is_direct else sealed.commitment(sealed_as).hex(),
    }  # fmt: skip


def messages() -> list[Entry]:
    direct = direct_conversation_id(ALICE.user, PAULA.user)
    made: list[Entry] = []

    def add(*arguments: Any, **header: Any) -> None:
        made.append(message(len(made) + 1, *arguments, **header))

    for suite in (AES, "nacl-box"):
        add(suite, direct, [PAULA], {"text": "Hello"})
        add(suite, direct, [PAULA, TABLET], {"text": "naïve 你好 👩‍👩‍👧‍👦"}, expires_in=86_400)
        first = made[-1]["record"]["id"]
        add(suite, direct, [PAULA, TABLET], {"text": "Hello again"}, kind="edit", target=first)
        add(suite, direct, [PAULA], {"emoji": "👍"}, kind="reaction", target=first)
        add(suite, direct, [PAULA], {"text": ""}, reply_to=first)
    add("group-box", GROUP, [PAULA], {"text": "Hello"})
    add("group-box", GROUP, [PAULA, TABLET], {"plan_id": "7", "plan_title": "Oats"}, type="diet_plan")
    return made


# numbers.json


def numbers() -> Entry:
    phone, laptop = device(ALICE), device(PAULA)
    keys = {user: account_of(user).public for user in ("alice", "paula")}
    halves = [account_fingerprint(user, key) for user, key in keys.items()]
    by_devices = devices_fingerprint("paula", [secret(PAULA).public, secret(TABLET).public])
    link_secret = PrivateKey(fixed("link"))
    link_key = bytes(link_secret.public_key)
    recovery, nonce = fixed("recovery")[:16], fixed("backup")[:24]
    blob = nonce + sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
        account_of("alice").seed, accounts._backup_label("alice"), nonce, accounts._backup_key(recovery)
    )
    offered = [bytes.fromhex(phone[name]) for name in ("identity_key", "signing_key")]
    return {
        "safety_numbers": [
            {"users": ["alice", "paula"], "account_keys": [key.hex() for key in keys.values()],
             "fingerprints": [half.hex() for half in halves], "number": safety_number(*halves),
             "code": safety_code("alice", keys["alice"], "paula", keys["paula"])},
            {"users": ["alice", "paula"], "account_keys": [keys["alice"].hex(), None],
             "identity_keys": [None, [laptop["identity_key"], device(TABLET)["identity_key"]]],
             "fingerprints": [halves[0].hex(), by_devices.hex()], "number": safety_number(halves[0], by_devices)},
        ],
        "link_codes": [
            {"user_id": "alice", "device_id": "phone", "identity_key": phone["identity_key"],
             "signing_key": phone["signing_key"], "link_key": link_key.hex(),
             "code": link_code(ALICE, offered[0], offered[1], link_key), "groups": account_of("alice").groups("alice")},
        ],
        "backups": [
            {"user_id": "alice", "account_seed": phone["account_seed"], "recovery_key": recovery.hex(),
             "recovery_text": recovery_text(recovery), "nonce": nonce.hex(), "blob": blob.hex()},
        ],
    }  # fmt: skip


FILES: dict[str, Callable[[], Any]] = {
    "names.json": names,
    "devices.json": lambda: {"devices": [device(address) for address in (ALICE, PAULA, TABLET)]},
    "messages.json": lambda: {"messages": messages()},
    "numbers.json": numbers,
}


def written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


class Vectors(unittest.TestCase):
    def read(self, name: str) -> Any:
        return json.loads((FOLDER / name).read_text())

    def test_the_files_are_what_is_made_here(self) -> None:
        for name, make in FILES.items():
            self.assertEqual((FOLDER / name).read_text(), written(make()), f"{name} is written by vectors.py --write")

    def test_the_documented_client_names_and_certifies_the_same(self) -> None:
        for entry in self.read("names.json")["direct_conversations"]:
            self.assertEqual(sealing.direct_conversation(*entry["users"]), entry["conversation_id"])
        for entry in self.read("devices.json")["devices"]:
            raw = {name: bytes.fromhex(value) for name, value in entry.items() if name.endswith(("key", "seed", "secret"))}
            user, name = entry["user_id"], entry["device_id"]
            self.assertEqual(sealing.public(raw["identity_secret"]), raw["identity_key"])
            made = sealing.sign_keys(raw["signing_seed"], user, name, raw["identity_key"])
            made |= sealing.certify(raw["account_seed"], user, name, made, entry["issued_at"])
            for field_name in ("identity_key", "signing_key", "signature", "account_key", "certificate"):
                self.assertEqual(base64.b64decode(made[field_name]).hex(), entry[field_name], field_name)
            self.assertTrue(sealing.is_certified(made["account_key"], user, made | {"device_id": name}))
            self.assertFalse(sealing.is_certified(made["account_key"], "eve", made | {"device_id": name}))
            self.assertEqual(sealing.blake(raw["identity_key"])[:8].hex(), entry["key_id"])

    def test_the_documented_client_seals_and_opens_the_same(self) -> None:
        devices = {f"{it['user_id']}/{it['device_id']}": it for it in self.read("devices.json")["devices"]}
        sender = devices["alice/phone"]
        found = 0
        for entry in self.read("messages.json")["messages"]:
            record = entry["record"]
            self.assertEqual(sealing.header(record).hex(), entry["header"])
            if record["suite"] != AES:
                continue
            found += 1
            for name in entry["recipients"]:
                own = devices[name]
                opened = sealing.unseal(
                    record, own["user_id"], own["device_id"], bytes.fromhex(own["identity_secret"]),
                    bytes.fromhex(sender["identity_key"]),
                )  # fmt: skip
                self.assertEqual(opened.decode(), entry["content"])
            if record["recipient_keys"] is None:
                continue
            random = iter(bytes.fromhex(entry["random"]))
            others = [
                (own["user_id"], own["device_id"], bytes.fromhex(own["identity_key"]), True)
                for own in (devices[name] for name in entry["recipients"])
            ]
            made = sealing.seal(
                record, entry["content"].encode(), bytes.fromhex(sender["identity_secret"]), others,
                lambda count: bytes(next(random) for _ in range(count)),
            )  # fmt: skip
            self.assertEqual(made, {name: record[name] for name in made})
        self.assertEqual(found, 5)

    def test_other_suites_open_with_the_keys_that_are_named(self) -> None:
        for entry in self.read("messages.json")["messages"]:
            record, header = entry["record"], bytes.fromhex(entry["header"])
            nonce, sealed = (base64.b64decode(record[name]) for name in ("nonce", "encrypted_content"))
            key = bytes.fromhex(entry["content_key"] or entry["pairwise_keys"][0])
            content = entry["content"].encode()
            match record["suite"], entry["content_key"]:
                case "group-box", _:
                    opened = sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(sealed, header, nonce, key)
                case "nacl-box", None:
                    opened = sodium.crypto_box_open_easy_afternm(sealed, nonce, key)
                case "nacl-box", _:
                    opened = sodium.crypto_secretbox_open_easy(sealed, nonce, key)
                case _:
                    continue
            self.assertEqual(opened, content if record["suite"] == "group-box" else field(header) + content)


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        for name, make in FILES.items():
            (FOLDER / name).write_text(written(make()))
    else:
        unittest.main(verbosity=2)
