"""Makes vectors.json: what libsodium (by PyNaCl) and hashlib give. Usage: vectors.py > vectors.json"""

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nacl.bindings as sodium
from nacl.public import PrivateKey
from nacl.signing import SigningKey

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "PythonDevice"))

import accounts
from identities import Address, account_fingerprint, devices_fingerprint, direct_conversation_id

LENGTHS = [*range(0, 35), 47, 48, 63, 64, 65, 127, 128, 129, 255, 256, 1000, 4097]


def fixed(name: str, length: int) -> bytes:
    return hashlib.shake_128(name.encode()).digest(length)


def hexes(*values: bytes) -> list[str]:
    return [value.hex() for value in values]


def secretboxes() -> Iterator[list[str]]:
    for length in LENGTHS:
        key, nonce, text = fixed(f"box key {length}", 32), fixed(f"box nonce {length}", 24), fixed(f"b{length}", length)
        yield hexes(key, nonce, text, sodium.crypto_secretbox(text, nonce, key))


def xchachas() -> Iterator[list[str]]:
    for length in LENGTHS:
        key, nonce, text = fixed(f"x key {length}", 32), fixed(f"x nonce {length}", 24), fixed(f"x{length}", length)
        data = fixed(f"x data {length}", (length * 7) % 61)
        sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(text, data, nonce, key)
        yield hexes(key, nonce, text, data, sealed)


def hashes() -> Iterator[list[str]]:
    for length in LENGTHS:
        key, text = fixed(f"hash key {length}", length % 65), fixed(f"h{length}", length)
        size = 1 + length % 64
        yield hexes(key, text, hashlib.blake2b(text, digest_size=size, key=key).digest(), hashlib.sha256(text).digest())


def streams() -> Iterator[dict[str, Any]]:
    """libsodium draws the header itself."""
    for number in range(8):
        key = fixed(f"stream {number}", 32)
        state = sodium.crypto_secretstream_xchacha20poly1305_state()
        header = sodium.crypto_secretstream_xchacha20poly1305_init_push(state, key)
        tags = [0] * number + [2, 1, 0, 3]
        texts = [fixed(f"stream {number} {index}", (index * 37 + number * 5) % 131) for index in range(len(tags))]
        chunks = [
            [text.hex(), tag, sodium.crypto_secretstream_xchacha20poly1305_push(state, text, b"", tag).hex()]
            for text, tag in zip(texts, tags)
        ]
        yield {"key": key.hex(), "header": header.hex(), "chunks": chunks}


def sealed_boxes() -> Iterator[list[str]]:
    for length in (0, 1, 32, 100):
        secret = PrivateKey(fixed(f"sealed {length}", 32))
        text = fixed(f"sealed text {length}", length)
        yield hexes(bytes(secret), bytes(secret.public_key), text, sodium.crypto_box_seal(text, bytes(secret.public_key)))


def account() -> dict[str, Any]:
    seed, recovery = fixed("account", 32), fixed("recovery", 16)
    key, device = SigningKey(seed), Address("alice", "phone")
    identity, signing, link = (fixed(name, 32) for name in ("identity", "signing", "link"))
    accounts.now = lambda: "2026-11-27T05:00:00.123Z"
    certificate, issued_at = accounts.Account(seed).certify(device, identity, signing)
    return {
        "seed": seed.hex(), "public": bytes(key.verify_key).hex(), "identity": identity.hex(), "signing": signing.hex(),
        "link": link.hex(), "certificate": certificate.hex(), "issued_at": accounts.milliseconds(issued_at),
        "link_code": accounts.link_code(device, identity, signing, link), "key_id": accounts.key_id(identity).hex(),
        "fingerprint": account_fingerprint("alice", bytes(key.verify_key)).hex(),
        "devices_fingerprint": devices_fingerprint("bob", [signing, identity, link]).hex(),
        "groups": accounts.Account(seed).groups("alice"), "recovery": recovery.hex(),
        "recovery_text": accounts.recovery_text(recovery), "backup": accounts.Account(seed).backup("alice", recovery).hex(),
        "direct": direct_conversation_id("alice", "Bob_2"),
    }


if __name__ == "__main__":
    made = {
        "secretbox": list(secretboxes()), "xchacha": list(xchachas()), "hash": list(hashes()), "stream": list(streams()),
        "sealed": list(sealed_boxes()), "account": account(),
    }
    print("{" + ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in made.items()) + "}")
