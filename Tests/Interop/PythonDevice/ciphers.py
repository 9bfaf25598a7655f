"""The three cipher suites of the protocol (section 6): written from the document alone, on PyNaCl and cryptography."""

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import nacl.bindings as sodium
import nacl.exceptions
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from identities import Address, IdentityKeys, field

Random = Callable[[int], bytes]


class NotAuthentic(Exception):
    """Nobody with these keys has sealed this under this header."""


class NotForThisDevice(Exception):
    """There is no key in the message for the device that would open it."""


class HeaderMismatch(Exception):
    """It was sealed as another message than it is shown as."""


@dataclass(frozen=True)
class Header:
    """What a message is bound to."""

    suite: str
    conversation: str
    id: str
    sender: Address
    type: str = "text"
    reply_to: str | None = None
    kind: str = "message"
    target: str | None = None
    expires_in: int | None = None

    @property
    def bytes(self) -> bytes:
        texts = [
            "parley/v1", self.suite, self.conversation, self.id, self.sender.user, self.sender.device, self.type,
            self.reply_to or "", self.kind, self.target or "", "" if self.expires_in is None else str(self.expires_in),
        ]  # fmt: skip
        return b"".join(field(text.encode()) for text in texts)


@dataclass(frozen=True)
class Sealed:
    """What the gateway carries. `keys` is `None` where the content is sealed between two identity keys."""

    nonce: bytes
    content: bytes
    keys: dict[Address, bytes] | None = None

    def commitment(self, header: Header) -> bytes:
        return hashlib.blake2b(header.bytes + self.nonce + self.content, digest_size=32).digest()


@dataclass(frozen=True)
class Pair:
    """Two devices' keys, seen from one of them, and which of the two has sealed."""

    own: IdentityKeys
    other: bytes
    sealed_by_own: bool

    @property
    def directed(self) -> bytes:
        """The sender's public key, then the recipient's."""
        keys = self.own.public, self.other
        return b"".join(keys if self.sealed_by_own else reversed(keys))

    def box_key(self) -> bytes:
        self.own.shared_secret(self.other)  # refuses what is weak
        return sodium.crypto_box_beforenm(self.other, self.own.secret)


class AES256GCM:
    """`x25519-hkdf-sha256-aes256gcm`"""

    nonce_length = 12

    @staticmethod
    def pairwise(pair: Pair, header: Header) -> bytes:
        info = b"parley/v1\0" + pair.directed
        kdf = HKDF(SHA256(), 32, salt=header.conversation.encode(), info=info)
        return kdf.derive(pair.own.shared_secret(pair.other))

    @staticmethod
    def seal(key: bytes, nonce: bytes, content: bytes, header: Header) -> bytes:
        return AESGCM(key).encrypt(nonce, content, header.bytes)

    @staticmethod
    def open(key: bytes, sealed: Sealed, header: Header) -> bytes:
        return AESGCM(key).decrypt(sealed.nonce, sealed.content, header.bytes)

    seal_directly, open_directly = seal, open

    @classmethod
    def wrap(cls, pair: Pair, header: Header, nonce: bytes, content_key: bytes, commitment: bytes) -> bytes:
        return nonce + AESGCM(cls.pairwise(pair, header)).encrypt(nonce, content_key, commitment)

    @classmethod
    def unwrap(cls, pair: Pair, header: Header, wrapped: bytes, commitment: bytes) -> bytes:
        return AESGCM(cls.pairwise(pair, header)).decrypt(wrapped[:12], wrapped[12:], commitment)


class _WrappedByBox:
    """`nonce ‖ crypto_box_easy(content key ‖ commitment)`"""

    nonce_length = 24

    @staticmethod
    def pairwise(pair: Pair, header: Header) -> bytes:
        return pair.box_key()

    @staticmethod
    def wrap(pair: Pair, header: Header, nonce: bytes, content_key: bytes, commitment: bytes) -> bytes:
        return nonce + sodium.crypto_box_easy_afternm(content_key + commitment, nonce, pair.box_key())

    @staticmethod
    def unwrap(pair: Pair, header: Header, wrapped: bytes, commitment: bytes) -> bytes:
        opened = sodium.crypto_box_open_easy_afternm(wrapped[24:], wrapped[:24], pair.box_key())
        if len(opened) != 64 or opened[32:] != commitment:
            raise NotAuthentic
        return opened[:32]


class NaClBox(_WrappedByBox):
    """`nacl-box`: there is no associated data, so the header stands in the plaintext."""

    @staticmethod
    def seal_directly(key: bytes, nonce: bytes, content: bytes, header: Header) -> bytes:
        return sodium.crypto_box_easy_afternm(field(header.bytes) + content, nonce, key)

    @staticmethod
    def open_directly(key: bytes, sealed: Sealed, header: Header) -> bytes:
        return _without_header(sodium.crypto_box_open_easy_afternm(sealed.content, sealed.nonce, key), header)

    @staticmethod
    def seal(key: bytes, nonce: bytes, content: bytes, header: Header) -> bytes:
        return sodium.crypto_secretbox_easy(field(header.bytes) + content, nonce, key)

    @staticmethod
    def open(key: bytes, sealed: Sealed, header: Header) -> bytes:
        return _without_header(sodium.crypto_secretbox_open_easy(sealed.content, sealed.nonce, key), header)


def _without_header(opened: bytes, header: Header) -> bytes:
    expected = field(header.bytes)
    if not opened.startswith(expected):
        raise HeaderMismatch
    return opened[len(expected) :]


class GroupBox(_WrappedByBox):
    """`group-box`"""

    @staticmethod
    def seal(key: bytes, nonce: bytes, content: bytes, header: Header) -> bytes:
        return sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(content, header.bytes, nonce, key)

    @staticmethod
    def open(key: bytes, sealed: Sealed, header: Header) -> bytes:
        return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(sealed.content, header.bytes, sealed.nonce, key)


SUITES = {"x25519-hkdf-sha256-aes256gcm": AES256GCM, "nacl-box": NaClBox, "group-box": GroupBox}


def seal(
    content: bytes, header: Header, own: IdentityKeys, recipients: bytes | Mapping[Address, bytes],
    random: Random = os.urandom,
) -> Sealed:  # fmt: skip
    """Seals for one identity key directly, or for each of several devices by `recipient_keys`.

    The random bytes are taken in this order: the nonce, the content key (with `recipient_keys`), each wrapping's nonce.
    """
    suite = SUITES[header.suite]
    nonce = random(suite.nonce_length)
    if isinstance(recipients, bytes):
        key = suite.pairwise(Pair(own, recipients, True), header)
        return Sealed(nonce, suite.seal_directly(key, nonce, content, header))
    key = random(32)
    sealed = Sealed(nonce, suite.seal(key, nonce, content, header))
    commitment = sealed.commitment(header)
    keys = {
        address: suite.wrap(Pair(own, public, True), header, random(suite.nonce_length), key, commitment)
        for address, public in recipients.items()
    }
    return Sealed(sealed.nonce, sealed.content, keys)


def open_received(sealed: Sealed, header: Header, me: Address, own: IdentityKeys, sender_key: bytes) -> bytes:
    """Opens what another device has sealed for this one."""
    return _open(sealed, header, me, Pair(own, sender_key, False))


def open_own(sealed: Sealed, header: Header, own: IdentityKeys, recipient: Address, recipient_key: bytes) -> bytes:
    """Opens what this device has sealed: what it shares with any recipient serves both."""
    return _open(sealed, header, recipient, Pair(own, recipient_key, True))


def _open(sealed: Sealed, header: Header, recipient: Address, pair: Pair) -> bytes:
    suite = SUITES[header.suite]
    try:
        if sealed.keys is None:
            return suite.open_directly(suite.pairwise(pair, header), sealed, header)
        if recipient not in sealed.keys:
            raise NotForThisDevice
        key = suite.unwrap(pair, header, sealed.keys[recipient], sealed.commitment(header))
        return suite.open(key, sealed, header)
    except (InvalidTag, nacl.exceptions.CryptoError):
        raise NotAuthentic from None
