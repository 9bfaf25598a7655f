"""What must hold of the one notification object (protocol, section 7), wherever it arrives."""

import json
import re
from datetime import datetime
from typing import Any

IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")
LARGEST = 4096

OF_FEED = {
    "new_member", "rank_change", "week_ended", "challenge_received", "challenge_accepted", "challenge_declined",
    "challenge_cancelled", "challenge_expired", "challenge_completed", "message_request", "reaction",
}  # fmt: skip
TYPES = {"message", "clear", "digest", "test", "wake_up"} | OF_FEED

UUIDS = ("id", "conversation_id", "group_id", "message_id", "challenge_id", "activity_id")
NAMES = ("user_id", "device_id", "actor_id")
TIMES = ("badge_at", "created_at", "expires_at")
REQUIRED = {"id", "type", "user_id", "device_id", "badge", "badge_at", "expires_at"}
ALLOWED = {*UUIDS, *NAMES, *TIMES, "type", "epoch", "seq", "board", "week", "badge", "is_read", "message"}
# The data of `message.new`, with what a record may have beside it.
OF_MESSAGE = {
    "id", "conversation_id", "epoch", "seq", "sender_id", "sender_device_id", "message_type", "suite",
    "encrypted_content", "nonce", "recipient_keys", "reply_to", "expires_at", "created_at", "kind", "target_id",
    "system", "is_urgent",
}  # fmt: skip


def expiry(found: dict[str, Any]) -> int | None:
    """`expires_at` in milliseconds, where it is a time."""
    time = found.get("expires_at")
    if not isinstance(time, str) or not TIME.match(time):
        return None
    return round(datetime.fromisoformat(time).timestamp() * 1000)


def read_object(text: bytes | str) -> tuple[dict[str, Any] | None, list[str]]:
    """The object, and what is wrong with it."""
    try:
        found = json.loads(text)
    except ValueError as error:
        return None, [f"the notification is no JSON: {error}"]
    if not isinstance(found, dict):
        return None, ["the notification is no object"]
    return found, complaints(found)


def complaints(found: dict[str, Any]) -> list[str]:
    """Sentences. A field that nobody knows may be a name or a text, and is one complaint each."""
    wrong = [f"there is no {name}" for name in sorted(REQUIRED - found.keys())]
    wrong += [f"nobody knows the field {name}" for name in sorted(found.keys() - ALLOWED)]
    for names, shape in ((UUIDS, UUID), (NAMES, IDENTIFIER), (TIMES, TIME)):
        wrong += [
            f"{name} is malformed" for name in names
            if found.get(name) is not None and not (isinstance(found[name], str) and shape.match(found[name]))
        ]  # fmt: skip
    if found.get("type") not in TYPES:
        wrong.append(f"nobody knows the type {found.get('type')}")
    badge = found.get("badge")
    if isinstance(badge, bool) or not isinstance(badge, int) or not 0 <= badge <= 1000:
        wrong.append("badge is not from 0 to 1000")
    if found.get("type") in ("message", "clear"):
        wrong += [f"{found['type']} without {name}" for name in ("conversation_id", "seq") if found.get(name) is None]
    if found.get("type") == "message" and found.get("epoch") is None:
        wrong.append("message without epoch")
    return wrong + of_message(found)


def of_message(found: dict[str, Any]) -> list[str]:
    message = found.get("message")
    if message is None:
        return []
    if found.get("type") != "message" or not isinstance(message, dict):
        return [f"{found.get('type')} with a message"]
    wrong = [f"nobody knows the field message.{name}" for name in sorted(message.keys() - OF_MESSAGE)]
    device = found.get("user_id"), found.get("device_id")
    others = [key for key in message.get("recipient_keys") or [] if (key["user_id"], key["device_id"]) != device]
    if others:
        wrong.append(f"the keys of {len(others)} other devices")
    return wrong + [
        f"{name} is not the message's"
        for name in ("conversation_id", "epoch", "seq")
        if found.get(name) != message.get(name)
    ]
