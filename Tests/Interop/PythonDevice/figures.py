"""Makes figures.json: messages that this implementation has sealed with keys and nonces that are no secret, for
SealedElsewhereTests.swift to open. Usage: figures.py > figures.json"""

import hashlib
import itertools
import json
from typing import Any

from nacl.signing import SigningKey

import ciphers
from ciphers import Header
from identities import Address, IdentityKeys, direct_conversation_id, safety_number, signed_keys

ALICE, PAULA, TABLET = Address("alice", "phone"), Address("paula", "laptop"), Address("paula", "tablet")
DIRECT = direct_conversation_id("alice", "paula")
GROUP = "6f1cf0a6-28cf-4b4e-93ab-7c8b6ac7d3b1"
TEXTS = ["", "naïve – 你好 – 👩‍👩‍👧‍👦 – a\u0301 – \"quoted\" \\ \t\n"]


def fixed(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def secret(address: Address) -> IdentityKeys:
    return IdentityKeys(fixed(f"identity {address.user}/{address.device}"))


def case(number: int, suite: str, conversation: str, to: list[Address], text: str, **header: Any) -> dict[str, Any]:
    """A message of alice/phone; `to` several, or to one by `recipient_keys` in a group."""
    taken: list[bytes] = []

    def random(length: int) -> bytes:
        taken.append(fixed(f"random {number} {len(taken)}")[:length])
        return taken[-1]

    sealed_as = Header(suite, conversation, f"0b0c7a52-1111-4222-8333-{number:012}", ALICE, **header)
    direct = suite != "group-box" and len(to) == 1
    recipients = secret(to[0]).public if direct else {address: secret(address).public for address in to}
    content = json.dumps({"text": text}, ensure_ascii=False).encode()
    sealed = ciphers.seal(content, sealed_as, secret(ALICE), recipients, random)
    keys = None if sealed.keys is None else [
        {"user_id": address.user, "device_id": address.device, "encrypted_key": key.hex()}
        for address, key in sealed.keys.items()
    ]  # fmt: skip
    return {
        "suite": suite, "conversation_id": conversation, "id": sealed_as.id, "sender_id": ALICE.user,
        "sender_device_id": ALICE.device, "message_type": sealed_as.type, "reply_to": sealed_as.reply_to,
        "expires_in": sealed_as.expires_in, "nonce": sealed.nonce.hex(), "encrypted_content": sealed.content.hex(),
        "recipient_keys": keys, "header": sealed_as.bytes.hex(), "commitment": sealed.commitment(sealed_as).hex(),
        "content": content.hex(), "random": b"".join(taken).hex(),
    }  # fmt: skip


def cases() -> list[dict[str, Any]]:
    numbers = itertools.count(1)
    made = []
    for suite, text in itertools.product(["x25519-hkdf-sha256-aes256gcm", "nacl-box"], TEXTS):
        made.append(case(next(numbers), suite, DIRECT, [PAULA], text))
        made.append(case(next(numbers), suite, DIRECT, [PAULA, TABLET], text, expires_in=86_400))
    for text in TEXTS:
        made.append(case(next(numbers), "group-box", GROUP, [PAULA], text))
        made.append(case(next(numbers), "group-box", GROUP, [PAULA, TABLET], text, type="diet_plan", reply_to=GROUP))
    return made


def device(address: Address) -> dict[str, Any]:
    keys = secret(address)
    signing = SigningKey(fixed(f"signing {address.user}/{address.device}"))
    fields = signed_keys(address, keys.public, signing)
    return {"user_id": address.user, "device_id": address.device, "secret_key": keys.secret.hex()} | {
        name: value.hex() for name, value in fields.items()
    }


def public(*addresses: Address) -> list[bytes]:
    return [secret(address).public for address in addresses]


def lines(entries: list[dict[str, Any]]) -> str:
    """A JSON array with a line for each element."""
    return "[\n" + ",\n".join(map(json.dumps, entries)) + "\n]"


if __name__ == "__main__":
    number = safety_number("alice", public(ALICE), "paula", public(PAULA, TABLET))
    print(f'{{"safety_number": "{number}",')
    print(f'"devices": {lines([device(address) for address in (ALICE, PAULA, TABLET)])},')
    print(f'"messages": {lines(cases())}}}')
