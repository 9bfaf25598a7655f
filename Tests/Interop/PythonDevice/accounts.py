"""Account keys, links and backups (protocol section 6), on PyNaCl: written from the document alone."""

import base64
import hashlib
import os
import secrets
from datetime import datetime, timezone

import nacl.bindings as sodium
import nacl.exceptions
from nacl.public import PrivateKey, PublicKey, SealedBox
from nacl.signing import SigningKey, VerifyKey

from identities import Address, account_fingerprint, digits, field

# Crockford's base 32.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def milliseconds(time: str) -> int:
    return round(datetime.fromisoformat(time).timestamp() * 1000)


def unpadded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Account:
    """A user's account key with its secret half."""

    def __init__(self, seed: bytes | None = None) -> None:
        self.seed = seed or os.urandom(32)
        self._key = SigningKey(self.seed)
        self.public = bytes(self._key.verify_key)

    def certify(self, address: Address, identity: bytes, signing: bytes) -> tuple[bytes, str]:
        """The certificate of a device, and when it was issued."""
        issued_at = now()
        return self._key.sign(_certified_part(address, identity, signing, issued_at)).signature, issued_at

    def sealed_for(self, link_key: bytes) -> bytes:
        return SealedBox(PublicKey(link_key)).encrypt(self.seed)

    def groups(self, user: str) -> list[str]:
        """The user's half of every safety number."""
        half = digits(account_fingerprint(user, self.public))
        return [half[start : start + 5] for start in range(0, 30, 5)]

    # Backup

    def backup(self, user: str, recovery: bytes) -> bytes:
        nonce = os.urandom(24)
        return nonce + sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
            self.seed, _backup_label(user), nonce, _backup_key(recovery)
        )

    @staticmethod
    def restored(blob: bytes, user: str, recovery: bytes) -> "Account":
        return Account(
            sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
                blob[24:], _backup_label(user), blob[:24], _backup_key(recovery)
            )
        )


def is_certified(account: bytes, address: Address, identity: bytes, signing: bytes, certificate: bytes, at: str) -> bool:
    try:
        VerifyKey(account).verify(_certified_part(address, identity, signing, at), certificate)
    except nacl.exceptions.BadSignatureError:
        return False
    return True


def _certified_part(address: Address, identity: bytes, signing: bytes, issued_at: str) -> bytes:
    fields = [
        b"parley/v1 device", address.user.encode(), address.device.encode(), identity, signing,
        str(milliseconds(issued_at)).encode(),
    ]  # fmt: skip
    return b"".join(map(field, fields))


def _backup_label(user: str) -> bytes:
    return b"parley/v1 backup" + user.encode()


def _backup_key(recovery: bytes) -> bytes:
    return hashlib.blake2b(b"parley/v1 recovery", digest_size=32, key=recovery).digest()


def key_id(identity: bytes) -> bytes:
    return hashlib.blake2b(identity, digest_size=32).digest()[:8]


# Links


class Link:
    """A new device's offer."""

    def __init__(self, address: Address, identity: bytes, signing: bytes) -> None:
        self.address, self.identity, self.signing = address, identity, signing
        self._secret = PrivateKey.generate()
        self.link_key = bytes(self._secret.public_key)

    @property
    def code(self) -> str:
        return link_code(self.address, self.identity, self.signing, self.link_key)

    def account(self, sealed: bytes) -> Account:
        return Account(SealedBox(self._secret).decrypt(sealed))


def link_code(address: Address, identity: bytes, signing: bytes, link_key: bytes) -> str:
    fields = [b"parley/v1 link", address.user.encode(), address.device.encode(), identity, signing, link_key]
    digest = hashlib.blake2b(b"".join(map(field, fields)), digest_size=32).digest()
    return f"parley-link/1/{address.user}/{address.device}/{unpadded(digest)}"


def safety_code(own: str, own_account: bytes, other: str, other_account: bytes) -> str:
    """What a screen shows for the other's device to scan."""
    halves = (unpadded(account_fingerprint(user, key)) for user, key in ((own, own_account), (other, other_account)))
    return f"parley-safety/1/{own}/{other}/" + "/".join(halves)


# Recovery keys


def recovery_text(key: bytes) -> str:
    """Seven groups of four: 128 bits, and their CRC-12."""
    number = int.from_bytes(key, "big") << 12 | crc12(key)
    text = "".join(ALPHABET[number >> shift & 31] for shift in range(135, -1, -5))
    return " ".join(text[start : start + 4] for start in range(0, 28, 4))


def crc12(data: bytes) -> int:
    """By the polynomial 0x80F, from zero."""
    remainder = 0
    for bit in (byte >> shift & 1 for byte in data for shift in range(7, -1, -1)):
        remainder = remainder << 1 & 0xFFF ^ (remainder >> 11 ^ bit) * 0x80F
    return remainder


def recovery_key(text: str) -> bytes:
    number = 0
    for character in text.replace(" ", ""):
        number = number << 5 | ALPHABET.index(character)
    key = (number >> 12).to_bytes(16, "big")
    if recovery_text(key).replace(" ", "") != text.replace(" ", ""):
        raise ValueError("a slip in the recovery key")
    return key


def new_recovery_key() -> bytes:
    return secrets.token_bytes(16)
