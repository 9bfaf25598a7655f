"""A push service of RFC 8030 that checks RFC 8291 and RFC 8292. Bodies are opened by `http_ece`, which is not ours."""

import hashlib
import re
import secrets
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import http_ece
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

import contract
from authority import base64url, from_base64url
from exchange import Answer, Finding, Request
from tokens import BadToken, Token, read_token

LARGEST_BODY = 4096
# Salt, record size, and the sender's key with its length (RFC 8188, section 2.1; RFC 8291, section 4).
HEADER, DELIMITER, TAG = 16 + 4 + 1 + 65, 1, 16
URGENCIES = ("very-low", "low", "normal", "high")
TOPIC = re.compile(r"[A-Za-z0-9_-]{1,32}\Z")
LONGEST_TOKEN = 24 * 3600


@dataclass
class Message:
    """What waits for a device, or was given to it."""

    id: str
    topic: str | None
    headers: dict[str, str]
    body: bytes
    found: dict[str, Any] | None


@dataclass
class Subscription:
    id: str
    # `None` where only the device has it, as a browser's.
    key: ec.EllipticCurvePrivateKey | None
    auth: bytes
    # The application server's, if the subscription is restricted to it (RFC 8292, section 4).
    server_key: bytes | None = None
    waiting: list[Message] = field(default_factory=list)
    # How many messages another of their topic has replaced.
    replaced: int = 0
    # A device that is connected gets messages at once.
    push: Callable[[Message], None] | None = None
    is_gone: bool = False


class WebPush:
    name = "webpush"

    def __init__(self) -> None:
        self.origin = ""
        self._subscriptions: dict[str, Subscription] = {}
        self._checked: dict[str, Token] = {}

    def subscribe(self, server_key: bytes | None = None) -> dict[str, str]:
        """As a browser's `PushSubscription` in JSON."""
        key = ec.generate_private_key(ec.SECP256R1())
        subscription = self.add(Subscription(secrets.token_urlsafe(24), key, secrets.token_bytes(16), server_key))
        point = key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        return {
            "id": subscription.id, "endpoint": self.endpoint(subscription), "p256dh": base64url(point),
            "auth": base64url(subscription.auth),
        }  # fmt: skip

    def add(self, subscription: Subscription) -> Subscription:
        self._subscriptions[subscription.id] = subscription
        return subscription

    def remove(self, identifier: str) -> None:
        if identifier in self._subscriptions:
            self._subscriptions[identifier].is_gone = True

    def endpoint(self, subscription: Subscription) -> str:
        return f"{self.origin}/wpush/{subscription.id}"

    def take_waiting(self, identifier: str) -> dict[str, Any]:
        """What the device gets as it connects: the objects, and how many others were replaced meanwhile."""
        subscription = self._subscriptions[identifier]
        taken, subscription.waiting = subscription.waiting, []
        return {"messages": [message.found for message in taken], "replaced": subscription.replaced}

    # What comes

    def examine(self, request: Request) -> Finding:
        identifier = request.path.removeprefix("/wpush/")
        subscription = self._subscriptions.get(identifier)
        if subscription is None or not request.path.startswith("/wpush/"):
            return Finding(refusal=Answer(404))
        finding = Finding(key=identifier)
        refusal = self._refusal(request, subscription) or self._refusal_of_sender(request, subscription)
        if refusal:
            status, finding.details["why"] = refusal
            finding.refusal = Answer(status, finding.details["why"].encode(), {"content-type": "text/plain"})
            return finding
        self._open(request, subscription, finding)
        return finding

    @staticmethod
    def _refusal(request: Request, subscription: Subscription) -> tuple[int, str] | None:
        headers = request.headers
        checks = [
            (request.method != "POST", 405, "not POST"),
            (subscription.is_gone, 410, "the subscription is gone"),
            (not re.fullmatch(r"[0-9]{1,10}", headers.get("ttl", "")), 400, "no TTL in whole seconds"),
            (headers.get("urgency", "normal") not in URGENCIES, 400, "no such Urgency"),
            (
                "topic" in headers and not TOPIC.match(headers["topic"]),
                400,
                "a Topic that is longer than 32, or not base64url",
            ),
            (len(request.body) > LARGEST_BODY, 413, "more than 4096 bytes"),
            (headers.get("content-encoding") != "aes128gcm", 415, "not aes128gcm"),
            (len(request.body) < HEADER + DELIMITER + TAG, 400, "too short for aes128gcm"),
        ]
        return next(((status, why) for is_wrong, status, why in checks if is_wrong), None)

    def _refusal_of_sender(self, request: Request, subscription: Subscription) -> tuple[int, str] | None:
        """RFC 8292: 401 without a token, 403 with one that is not good for this."""
        scheme, _, rest = request.headers.get("authorization", "").partition(" ")
        fields = dict(part.strip().partition("=")[::2] for part in rest.split(","))
        if scheme.lower() != "vapid" or fields.keys() != {"t", "k"}:
            return 401, "no vapid with t and k"
        try:
            raw = from_base64url(fields["k"])
            key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), raw)
            token = self._checked.get(rest) or read_token(fields["t"], key)
            expires = token.time("exp")
        except (BadToken, ValueError) as error:
            return 403, f"the token is not good: {error}"
        self._checked[rest] = token
        if token.claims.get("aud") != self.origin:
            return 403, f"aud is {token.claims.get('aud')} and not {self.origin}"
        if not time.time() < expires <= time.time() + LONGEST_TOKEN:
            return 403, "exp is past, or more than 24 hours away"
        subject = str(token.claims.get("sub", ""))
        if urllib.parse.urlsplit(subject).scheme not in ("mailto", "https"):
            return 403, "sub is neither mailto: nor https:"
        if subscription.server_key not in (None, raw):
            return 403, "k is not the subscription's application server"
        return None

    def _open(self, request: Request, subscription: Subscription, finding: Finding) -> None:
        finding.details["size"] = len(request.body)
        if subscription.key is None:
            return
        try:
            text = http_ece.decrypt(
                request.body, private_key=subscription.key, auth_secret=subscription.auth, version="aes128gcm"
            )
        except Exception as error:  # Of many kinds.
            # A push service does not find that out; the device does, and drops it.
            finding.complaints.append(f"the body does not open: {error}")
            return
        found, finding.complaints = contract.read_object(text)
        finding.details["object"] = found
        finding.complaints += self._of_padding(len(request.body) - HEADER - TAG)
        if found:
            finding.complaints += self._of_headers(request.headers, found, subscription.auth)

    @staticmethod
    def _of_padding(size: int) -> list[str]:
        """Of the text, the delimiter and the padding: lengths say no more than which multiple of 256 it is."""
        if size % 256 and (size - DELIMITER) % 256 and size != LARGEST_BODY - HEADER - TAG:
            return [f"padded to {size} bytes, which is no multiple of 256"]
        return []

    @staticmethod
    def _of_headers(headers: dict[str, str], found: dict[str, Any], auth: bytes) -> list[str]:
        wrong, kind, conversation = [], found.get("type"), found.get("conversation_id")
        expected = {"message": "high", "clear": "low"}.get(kind or "")
        if expected and headers.get("urgency") != expected:
            wrong.append(f"Urgency of {kind} is {headers.get('urgency')}")
        topic = headers.get("topic")
        if conversation and (topic or kind == "message") and topic != topic_of(conversation, auth):
            wrong.append(f"Topic of {kind} is {topic} and not its conversation's")
        expires = contract.expiry(found)
        if expires and int(headers["ttl"]) > expires / 1000 - time.time() + 60:
            wrong.append("TTL is longer than the notification is of use")
        return wrong

    # What is answered

    def answer(self, request: Request, finding: Finding, planned: dict[str, Any]) -> Answer:
        status = planned.get("status", 201)
        headers = {"ttl": request.headers["ttl"]}
        if status == 201:
            headers["location"] = f"{self.origin}/m/{secrets.token_urlsafe(12)}"
        for name, header in (("retry_after", "retry-after"), ("location", "location")):
            if name in planned:
                headers[header] = str(planned[name])
        return Answer(status, planned.get("reason", "").encode(), headers)

    def deliver(self, request: Request, finding: Finding) -> None:
        subscription = self._subscriptions[finding.key or ""]
        found = finding.details.get("object")
        message = Message(secrets.token_urlsafe(12), request.headers.get("topic"), request.headers, request.body, found)
        if subscription.push:
            return subscription.push(message)
        if message.topic is not None:
            kept = [each for each in subscription.waiting if each.topic != message.topic]
            subscription.replaced += len(subscription.waiting) - len(kept)
            subscription.waiting = kept
        if request.headers["ttl"] != "0":
            subscription.waiting.append(message)


def topic_of(conversation: str, auth: bytes) -> str:
    """As protocol, section 7, has it: of the id's text, keyed by what the subscription keeps secret."""
    return base64url(hashlib.blake2b(conversation.encode(), digest_size=32, key=auth).digest())[:32]
