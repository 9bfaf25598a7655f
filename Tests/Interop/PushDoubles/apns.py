"""Apple's push service, as its documentation has it: «Sending notification requests to APNs» and «Handling notification
responses from APNs»."""

import json
import re
import secrets
import time
import uuid
from typing import Any

import contract
from authority import AppleAccount
from exchange import Answer, Finding, Request
from tokens import BadToken, Token, read_token

PATH = re.compile(r"/3/device/([0-9A-Fa-f]*)\Z")
PUSH_TYPES = {
    "alert", "background", "complication", "controls", "fileprovider", "liveactivity", "location", "mdm", "pushtotalk",
    "voip", "widgets",
}  # fmt: skip
ONCE = ("apns-id", "apns-topic", "apns-priority")
LARGEST_PAYLOAD = 4096
# In seconds. A provider token is good for an hour, and is not to be made anew within 20 minutes.
TOKEN_LIFE, TOKEN_PAUSE = 3600, 1200
REASONS = {
    400: "BadDeviceToken", 403: "ExpiredProviderToken", 404: "BadPath", 405: "MethodNotAllowed", 410: "Unregistered",
    413: "PayloadTooLarge", 429: "TooManyRequests", 500: "InternalServerError", 503: "ServiceUnavailable",
}  # fmt: skip
# What the app has in its own languages: a name of such a sentence is no text.
SENTENCE = re.compile(r"[A-Z][A-Z0-9_]{0,63}\Z")


class APNs:
    name = "apns"

    def __init__(self, account: AppleAccount) -> None:
        self._account = account
        # Token of a device → the app's bundle id.
        self._devices: dict[str, str] = {}
        # What was checked before, and what a plan has ended.
        self._checked: dict[str, Token] = {}
        self._ended: set[str] = set()
        self._in_use: dict[int, tuple[str, int]] = {}

    def add_device(self, topic: str) -> str:
        """A token of a device on which the app is installed."""
        token = secrets.token_hex(32)
        self._devices[token] = topic
        return token

    # What comes

    def examine(self, request: Request) -> Finding:
        path = PATH.match(request.path)
        finding = Finding(key=path[1].lower() if path else None)
        identifier = request.headers.get("apns-id")
        refusal = self._refusal(request, finding.key)
        if refusal is None:
            refusal = self._refusal_of_token(request)
        if refusal:
            finding.refusal = self._refuse(refusal, identifier)
        else:
            finding.details["topic"] = request.headers["apns-topic"]
            finding.details["object"], finding.complaints = self._complaints(request)
        return finding

    def _refusal(self, request: Request, device: str | None) -> tuple[int, str] | None:
        headers, body = request.headers, request.body
        checks = [
            (request.method != "POST", 405, "MethodNotAllowed"),
            (device is None, 404, "BadPath"),
            (device == "", 400, "MissingDeviceToken"),
            (any(", " in headers.get(name, "") for name in ONCE), 400, "DuplicateHeaders"),
            (len(body) > LARGEST_PAYLOAD, 413, "PayloadTooLarge"),
            (not body, 400, "PayloadEmpty"),
            (not headers.get("apns-topic"), 400, "MissingTopic"),
            (headers.get("apns-push-type", "alert") not in PUSH_TYPES, 400, "InvalidPushType"),
            (not self._is_uuid(headers.get("apns-id")), 400, "BadMessageId"),
            (headers.get("apns-priority", "10") not in ("1", "5", "10"), 400, "BadPriority"),
            (
                headers.get("apns-push-type") == "background" and headers.get("apns-priority") != "5",
                400, "BadPriority",
            ),
            (re.fullmatch(r"[0-9]{1,18}", headers.get("apns-expiration", "0")) is None, 400, "BadExpirationDate"),
            (len(headers.get("apns-collapse-id", "").encode()) > 64, 400, "BadCollapseId"),
            (device not in self._devices, 400, "BadDeviceToken"),
            (self._devices.get(device or "") != headers.get("apns-topic"), 400, "DeviceTokenNotForTopic"),
        ]  # fmt: skip
        return next(((status, reason) for is_wrong, status, reason in checks if is_wrong), None)

    @staticmethod
    def _is_uuid(text: str | None) -> bool:
        """«The canonical form of 32 lowercase hexadecimal digits»; without the header the service makes one."""
        try:
            return text is None or str(uuid.UUID(text)) == text
        except ValueError:
            return False

    def _refusal_of_token(self, request: Request) -> tuple[int, str] | None:
        scheme, _, text = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not text:
            return 403, "MissingProviderToken"
        if text in self._ended:
            return 403, "ExpiredProviderToken"
        try:
            token = self._checked.get(text) or read_token(text, self._account.key.public_key())
            made = token.time("iat")
        except BadToken:
            return 403, "InvalidProviderToken"
        if token.header.get("kid") != self._account.key_id or token.claims.get("iss") != self._account.team_id:
            return 403, "InvalidProviderToken"
        self._checked[text] = token
        if made > time.time() + 60:
            return 403, "InvalidProviderToken"
        if made < time.time() - TOKEN_LIFE:
            return 403, "ExpiredProviderToken"
        return self._refusal_of_new_token(request.connection, text, made)

    def _refusal_of_new_token(self, connection: int, text: str, made: int) -> tuple[int, str] | None:
        """One token after the other on one connection, but not too often."""
        before, before_made = self._in_use.get(connection, (text, made))
        if text != before and before not in self._ended and made < before_made + TOKEN_PAUSE:
            return 429, "TooManyProviderTokenUpdates"
        self._in_use[connection] = text, made
        return None

    def _complaints(self, request: Request) -> tuple[dict[str, Any] | None, list[str]]:
        try:
            payload = json.loads(request.body)
            aps, found = payload["aps"], payload.get("parley")
        except (ValueError, KeyError, TypeError, AttributeError):
            return None, ["the payload is no object with aps"]
        wrong = [f"nobody knows {name} in the payload" for name in payload.keys() - {"aps", "parley"}]
        if not isinstance(found, dict) or not isinstance(aps, dict):
            return None, [*wrong, "aps or parley is no object"]
        wrong += contract.complaints(found) + self._complaints_of_headers(request.headers, found)
        return found, wrong + (self._of_clear(aps) if found.get("type") == "clear" else self._of_alert(aps, found))

    @staticmethod
    def _complaints_of_headers(headers: dict[str, str], found: dict[str, Any]) -> list[str]:
        conversation = found.get("conversation_id")
        is_clear = found.get("type") == "clear"
        wrong = []
        if headers.get("apns-id") != found.get("id"):
            wrong.append("apns-id is not the object's id")
        if headers.get("apns-push-type") != ("background" if is_clear else "alert"):
            wrong.append(f"apns-push-type of {found.get('type')} is {headers.get('apns-push-type')}")
        if found.get("type") == "message" and headers.get("apns-collapse-id") != conversation:
            wrong.append("apns-collapse-id is not the conversation's id")
        if headers.get("apns-collapse-id") not in (None, conversation, found.get("id")):
            wrong.append("apns-collapse-id is neither the conversation's id nor the object's")
        expires = contract.expiry(found)
        if expires and abs(int(headers.get("apns-expiration", "0")) * 1000 - expires) > 1000:
            wrong.append("apns-expiration is not the time of expires_at")
        return wrong

    @staticmethod
    def _of_clear(aps: dict[str, Any]) -> list[str]:
        wrong = [f"aps.{name} in a clear" for name in aps.keys() - {"content-available", "badge"}]
        return wrong + ([] if aps.get("content-available") == 1 else ["clear without content-available: 1"])

    @staticmethod
    def _of_alert(aps: dict[str, Any], found: dict[str, Any]) -> list[str]:
        """Nothing in `aps` is text, and nothing says more than that there is something."""
        known = {"alert", "badge", "mutable-content", "thread-id", "sound", "interruption-level", "category"}
        wrong = [f"nobody knows aps.{name}" for name in aps.keys() - known]
        alert = aps.get("alert")
        if not isinstance(alert, dict) or "title-loc-key" not in alert:
            wrong.append("aps.alert has no title-loc-key")
        else:
            wrong += [f"aps.alert.{name} may be text" for name in alert.keys() - {"title-loc-key", "loc-key"}]
            wrong += [f"aps.alert.{name} is text" for name, value in alert.items() if not SENTENCE.match(str(value))]
        if aps.get("mutable-content") != 1:
            wrong.append("aps without mutable-content: 1")
        if aps.get("thread-id") != found.get("conversation_id"):
            wrong.append("aps.thread-id is not the conversation's id")
        if aps.get("badge") not in (None, found.get("badge")):
            wrong.append("aps.badge is not the object's")
        if aps.get("sound", "default") != "default" or not SENTENCE.match(str(aps.get("category", "A"))):
            wrong.append("aps.sound or aps.category is text")
        return wrong

    # What is answered

    def _refuse(self, refusal: tuple[int, str], identifier: str | None, **more: Any) -> Answer:
        status, reason = refusal
        body = json.dumps({"reason": reason} | more).encode()
        return Answer(status, body, {"apns-id": identifier or str(uuid.uuid4()), "content-type": "application/json"})

    def answer(self, request: Request, finding: Finding, planned: dict[str, Any]) -> Answer:
        """`timestamp` of a 410 is in milliseconds; 403 with `ExpiredProviderToken` ends the token for good."""
        status, identifier = planned.get("status", 200), request.headers.get("apns-id")
        if status == 200:
            return Answer(200, b"", {"apns-id": identifier or str(uuid.uuid4())})
        more = {}
        if status == 410:
            more["timestamp"] = planned.get("timestamp", int(time.time() * 1000))
        reason = planned.get("reason", REASONS.get(status, "InternalServerError"))
        if reason == "ExpiredProviderToken":
            self._ended.add(request.headers["authorization"].partition(" ")[2])
        answer = self._refuse((status, reason), identifier, **more)
        if "retry_after" in planned:
            answer.headers["retry-after"] = str(planned["retry_after"])
        if "location" in planned:
            answer.headers["location"] = planned["location"]
        return answer

    def deliver(self, request: Request, finding: Finding) -> None:
        pass
