"""Keys and names, as the protocol defines them (sections 1, 5 and 6): written from the document alone."""

import functools
import hashlib
import uuid
from dataclasses import dataclass
from typing import NamedTuple

import nacl.bindings as sodium
import nacl.exceptions
from nacl.signing import SigningKey, VerifyKey


class Address(NamedTuple):
    """A device of a user."""

    user: str
    device: str


def field(value: bytes) -> bytes:
    """A value with its 16-bit big-endian length before it."""
    return len(value).to_bytes(2, "big") + value


def direct_conversation_id(one: str, other: str) -> str:
    """The id of the direct conversation of two users: the same for both."""
    pair = sorted([one.encode(), other.encode()])
    digest = bytearray(hashlib.sha256(b"".join(map(field, pair))).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(digest)))


@dataclass(frozen=True)
class IdentityKeys:
    """A device's X25519 key pair."""

    secret: bytes

    @functools.cached_property
    def public(self) -> bytes:
        return sodium.crypto_scalarmult_base(self.secret)

    @functools.cache
    def shared_secret(self, other: bytes) -> bytes:
        """X25519; libsodium refuses a result of zero, which is `WeakKey` here."""
        try:
            return sodium.crypto_scalarmult(self.secret, other)
        except nacl.exceptions.RuntimeError:
            raise WeakKey from None


class WeakKey(Exception):
    """A public key of low order."""


def signed_keys(address: Address, identity_key: bytes, signing_key: SigningKey) -> dict[str, bytes]:
    """The fields of `keys/publish`."""
    return {
        "identity_key": identity_key,
        "signing_key": bytes(signing_key.verify_key),
        "signature": signing_key.sign(_signed_part(address, identity_key)).signature,
    }


def signature_holds(address: Address, identity_key: bytes, signing_key: bytes, signature: bytes) -> bool:
    try:
        VerifyKey(signing_key).verify(_signed_part(address, identity_key), signature)
    except nacl.exceptions.BadSignatureError:
        return False
    return True


def _signed_part(address: Address, identity_key: bytes) -> bytes:
    return b"".join(map(field, [b"parley/v1 keys", address.user.encode(), address.device.encode(), identity_key]))


def safety_number(one: bytes, other: bytes) -> str:
    """60 digits: 30 of each user's fingerprint, the smaller half first."""
    return "".join(sorted([digits(one), digits(other)]))


def account_fingerprint(user: str, account_key: bytes) -> bytes:
    return fingerprint(user, account_key, 1)


def devices_fingerprint(user: str, identity_keys: list[bytes]) -> bytes:
    """Of a user without an account key."""
    return fingerprint(user, b"".join(sorted(identity_keys)))


def fingerprint(user: str, keys: bytes, version: int = 0) -> bytes:
    """The numeric fingerprint of one user: SHA-512 iterated 5200 times."""
    digest = version.to_bytes(2, "big") + keys + user.encode()
    for _ in range(5200):
        digest = hashlib.sha512(digest + keys).digest()
    return digest[:30]


def digits(fingerprint: bytes) -> str:
    """5 digits of each 5 bytes."""
    parts = (fingerprint[start : start + 5] for start in range(0, 30, 5))
    return "".join(f"{int.from_bytes(part, 'big') % 100_000:05}" for part in parts)
