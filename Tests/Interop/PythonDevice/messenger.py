"""What a device does with its keys and the others' (protocol, sections 5 and 6): publishes, seals, sends, opens."""

import base64
import json
import os
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from nacl.public import Box, PrivateKey, PublicKey
from nacl.signing import SigningKey

import ciphers
from ciphers import Header, Sealed
from device import Device, Record, Refused
from identities import (
    Address, IdentityKeys, account_fingerprint, devices_fingerprint, direct_conversation_id, signature_holds, signed_keys,
)  # fmt: skip

DIRECT_SUITES = ["x25519-hkdf-sha256-aes256gcm", "nacl-box"]


def text_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


class Messenger:
    """A device with keys, which keeps what it knows of others in memory."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.address = device.address
        self.keys = IdentityKeys(os.urandom(32))
        self.signing = SigningKey.generate()
        self._known: dict[str, dict[Address, bytes]] = {}

    def publish_keys(self, proof: Mapping[str, bytes] = {}, issued_at: str | None = None) -> None:
        """With what an account key says of the device, or as an app does that knows none."""
        fields = signed_keys(self.address, self.keys.public, self.signing) | proof
        times = {} if issued_at is None else {"issued_at": issued_at}
        self.device.request("keys/publish", {name: text_of(value) for name, value in fields.items()} | times)

    def renew_keys(self) -> None:
        """As a device would that has lost them."""
        self.keys = IdentityKeys(os.urandom(32))
        self.publish_keys()

    # Others

    def fetch_keys(self, user: str) -> dict[Address, bytes]:
        """The identity keys of a user's devices. One whose signature does not hold is an error."""
        fetched = {}
        for entry in self.device.request("keys/get", {"user_id": user})["devices"]:
            address, identity = Address(user, entry["device_id"]), base64.b64decode(entry["identity_key"])
            if entry["signing_key"] is not None:
                signing, signature = (base64.b64decode(entry[name]) for name in ("signing_key", "signature"))
                if not signature_holds(address, identity, signing, signature):
                    raise ValueError(f"the signature of {address}'s keys does not hold")
            fetched[address] = identity
        self._known[user] = fetched
        return fetched

    def fingerprint(self, user: str) -> bytes:
        """What a user is known by."""
        listing = self.device.request("keys/get", {"user_id": user})
        if listing["account_key"] is not None:
            return account_fingerprint(user, base64.b64decode(listing["account_key"]))
        return devices_fingerprint(user, [base64.b64decode(each["identity_key"]) for each in listing["devices"]])

    def recipients(self, members: list[str]) -> dict[Address, bytes]:
        """Every keyed device of every member but this one."""
        known = {}
        for user in members:
            known |= self._known.get(user) or self.fetch_keys(user)
        known.pop(self.address, None)
        return known

    # Sending

    def conversation_with(self, user: str) -> str:
        """Makes the direct conversation, hears it, and returns its id, which both can compute."""
        created = self.device.request("conversations/create", {"type": "direct", "participant_ids": [user]})
        conversation = direct_conversation_id(self.address.user, user)
        if created["id"] != conversation:
            raise ValueError(f"the gateway says {created['id']}, the protocol {conversation}")
        self.hear(conversation)
        return conversation

    def hear(self, conversation: str) -> None:
        self.device.subscribe(f"parley/v1/conversations/{conversation}/messages")

    def seal(
        self, conversation: str, content: Mapping[str, Any], recipients: Mapping[Address, bytes], suite: str,
        *, message_type: str = "text", reply_to: str | None = None, expires_in: int | None = None,
        kind: str = "message", target: str | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """The fields of a `messages/send`: without `recipient_keys` where a direct suite has one recipient. Of a change
        `kind` and `target` are sealed, and `message_id` names the message."""
        header = Header(
            suite, conversation, str(uuid.uuid4()), self.address, message_type, reply_to, kind, target, expires_in
        )
        direct = suite in DIRECT_SUITES and len(recipients) == 1
        sealed_for = next(iter(recipients.values())) if direct else recipients
        sealed = ciphers.seal(json.dumps(content, ensure_ascii=False).encode(), header, self.keys, sealed_for)
        fields: dict[str, Any] = {
            "id": header.id, "conversation_id": conversation, "suite": suite,
            "encrypted_content": text_of(sealed.content), "nonce": text_of(sealed.nonce),
        } | ({"message_type": message_type} if target is None else {"message_id": target})  # fmt: skip
        if sealed.keys is not None:
            fields["recipient_keys"] = [
                {"user_id": address.user, "device_id": address.device, "encrypted_key": text_of(key)}
                for address, key in sealed.keys.items()
            ]
        optional = {"reply_to": reply_to, "expires_in": expires_in}
        return fields | {name: value for name, value in optional.items() if value is not None}

    def seal_as_old_app(self, conversation: str, content: bytes, recipient: bytes) -> dict[str, Any]:
        """The fields of a `messages/send` of an app of older guides: `crypto_box_easy` of the content alone."""
        nonce = os.urandom(Box.NONCE_SIZE)
        sealed = Box(PrivateKey(self.keys.secret), PublicKey(recipient)).encrypt(content, nonce).ciphertext
        return {
            "id": str(uuid.uuid4()), "conversation_id": conversation, "message_type": "text",
            "suite": "legacy-nacl-box", "encrypted_content": text_of(sealed), "nonce": text_of(nonce),
        }  # fmt: skip

    def send(
        self, conversation: str, members: list[str], content: Mapping[str, Any], suite: str,
        *, operation: str = "messages/send", **more: Any,
    ) -> str:  # fmt: skip
        """Seals and sends, anew when the devices have changed meanwhile; returns the record's id."""
        while True:
            fields = self.seal(conversation, content, self.recipients(members), suite, **more)
            try:
                return self.device.request(operation, fields)["id"]
            except Refused as refusal:
                if refusal.code != "stale_devices":
                    raise
                for user in members:
                    self.fetch_keys(user)

    def edit(self, conversation: str, members: list[str], target: str, text: str, suite: str) -> str:
        change = {"operation": "messages/edit", "kind": "edit", "target": target}
        return self.send(conversation, members, {"text": text}, suite, **change)

    def react(self, conversation: str, members: list[str], target: str, emoji: str, suite: str) -> str:
        change = {"operation": "messages/react", "kind": "reaction", "target": target}
        return self.send(conversation, members, {"emoji": emoji}, suite, **change)

    def delete(self, conversation: str, target: str) -> str:
        fields = {"id": str(uuid.uuid4()), "conversation_id": conversation, "message_id": target}
        return self.device.request("messages/delete", fields)["id"]

    # Receiving

    def open(self, record: Record) -> dict[str, Any]:
        """The content of a record, or one of the errors of `ciphers`."""
        header, sealed = header_of(record), sealed_of(record)
        if header.sender == self.address:
            return json.loads(self._open_own(sealed, header, record["conversation_id"]))
        known = self._known.get(header.sender.user, {})
        if header.sender not in known:
            known = self.fetch_keys(header.sender.user)
        try:
            return self._open_received(sealed, header, known)
        except ciphers.NotAuthentic:
            # The sender may have other keys by now.
            return self._open_received(sealed, header, self.fetch_keys(header.sender.user))

    def _open_received(self, sealed: Sealed, header: Header, known: Mapping[Address, bytes]) -> dict[str, Any]:
        return json.loads(ciphers.open_received(sealed, header, self.address, self.keys, known[header.sender]))

    def _open_own(self, sealed: Sealed, header: Header, conversation: str) -> bytes:
        if sealed.keys is None:
            members = self.device.request("conversations/get", {"conversation_id": conversation})["members"]
            ((recipient, key),) = self.recipients([member["user_id"] for member in members]).items()
        else:
            recipient = next(iter(sealed.keys))
            key = self.recipients([recipient.user])[recipient]
        return ciphers.open_own(sealed, header, self.keys, recipient, key)

    def history(self, conversation: str) -> list[Record]:
        return self.device.request("history/get", {"conversation_id": conversation, "limit": 200})["messages"]


def header_of(record: Record) -> Header:
    lifetime = None
    if record["expires_at"] is not None:
        seconds = datetime.fromisoformat(record["expires_at"]) - datetime.fromisoformat(record["created_at"])
        lifetime = int(seconds.total_seconds())
    return Header(
        record["suite"], record["conversation_id"], record["id"],
        Address(record["sender_id"], record["sender_device_id"]), record["message_type"], record["reply_to"],
        record["kind"], record["target_id"], lifetime,
    )  # fmt: skip


def sealed_of(record: Record) -> Sealed:
    keys = record["recipient_keys"]
    return Sealed(
        base64.b64decode(record["nonce"]),
        base64.b64decode(record["encrypted_content"]),
        None if keys is None else {
            Address(key["user_id"], key["device_id"]): base64.b64decode(key["encrypted_key"]) for key in keys
        },
    )  # fmt: skip
