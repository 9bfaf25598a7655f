"""docs/asyncapi.yaml against what a real gateway takes, answers and publishes.

Run by scripts/test-interop.sh, which names the gateway in PARLEY_DATA and the tool in PARLEY_TOOL. In a busy session each
request, each reply and each message that an operator hears has to satisfy the schema of its channel, without a member
that the schema does not name.
"""

import contextlib
import json
import os
import unittest
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt

from accounts import Account, Link, now
from asyncapi import API, Undescribed
from device import Device, Refused, eventually
from identities import Address
from messenger import Messenger, text_of
from tool import Tool

# Asked by web doors alone, or by people who have come by one with an address of email or a provider.
BY_DOORS = "accounts/ account/link account/confirm account/unlink account/set-password blobs/collect"
# They end the device that asks.
LAST = "account/sign-out-everywhere account/delete"
# Published once a week.
RARE = {"week.ended"}


class Observed(Device):
    """A device of which each request and each reply is checked."""

    asked: set[str] = set()
    refused: set[str] = set()
    problems: list[str] = []

    def _ask(self, operation: str, payload: bytes, correlation: bytes) -> Any:
        self.check(f"parley/v1/up/{self.address.user}/{self.address.device}/{operation}", payload)
        return super()._ask(operation, payload, correlation)

    def _received(self, client: Any, data: Any, message: mqtt.MQTTMessage) -> None:
        operation = message.topic.removeprefix(self._down + "/")
        if operation != message.topic:
            outcome = "accepted" if json.loads(message.payload)["ok"] else "rejected"
            (Observed.asked if outcome == "accepted" else Observed.refused).add(operation)
            self.check(f"parley/v1/down/{self.address.user}/{self.address.device}/{operation}/{outcome}", message.payload)
        super()._received(client, data, message)

    @staticmethod
    def check(topic: str, payload: bytes) -> None:
        try:
            API.check(topic, payload)
        except Undescribed as problem:
            Observed.problems.append(str(problem))


class Traffic(unittest.TestCase):
    def setUp(self) -> None:
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.tool = Tool(Path(os.environ["PARLEY_TOOL"]), Path(os.environ["PARLEY_DATA"]))
        self.heard: set[str] = set()
        self.operator = self.connect(Address("operator", "console"), sink=self.hear)
        self.operator.subscribe("parley/v1/#")
        self.people = {}
        for name in ("ann", "ben", "cat"):
            self.people[name] = self.messenger(self.tool.add(Address(name, "phone")))
        self.ann, self.ben, self.cat = self.people.values()

    def connect(self, address: Address, **options: Any) -> Observed:
        return self.stack.enter_context(Observed(self.tool.data, address, **options))

    def messenger(self, address: Address) -> Messenger:
        return Messenger(self.connect(address))

    def hear(self, message: mqtt.MQTTMessage) -> None:
        # Those of other tests come, too, and are checked as well, but for replies to the operator's other connections. A
        # payload without bytes takes back what was retained.
        if not message.payload or message.topic.startswith("parley/v1/down/"):
            return
        try:
            self.heard.add(API.check(message.topic, message.payload))
        except Undescribed as problem:
            Observed.problems.append(str(problem))

    def refusal(self, messenger: Messenger, operation: str, fields: dict[str, Any]) -> str:
        with self.assertRaises(Refused) as caught:
            messenger.device.request(operation, fields)
        return caught.exception.code

    def test_whatever_is_said_in_a_busy_session_is_in_the_document(self) -> None:
        self.keys()
        self.chat()
        self.conversations()
        self.social()
        self.groups()
        self.challenges()
        self.activity()
        self.devices()
        self.operators()
        asked = {f"{it['channel']['$ref'].rsplit('/', 1)[1]}" for it in API.document["operations"].values() if "reply" in it}
        unasked = {name.replace("_", "/", 1) for name in asked} - Observed.asked
        elsewhere = {it for it in unasked if any(it.startswith(each) for each in (BY_DOORS + " " + LAST).split())}
        self.assertEqual(unasked - elsewhere, set(), "operations that were not asked for")
        events = {
            name for channel in API.document["channels"].values() for name in channel["messages"]
        } - {"request", "reply", "number"} - RARE  # fmt: skip
        eventually("every event", lambda: events <= self.heard or Observed.problems)
        self.assertGreater(len(Observed.refused), 3)
        self.assertEqual(Observed.problems, [])

    # Parts of the session

    def keys(self) -> None:
        ann = self.ann
        self.account = Account()
        certificate, at = self.account.certify(ann.address, ann.keys.public, bytes(ann.signing.verify_key))
        ann.publish_keys({"account_key": self.account.public, "certificate": certificate}, at)
        for other in (self.ben, self.cat):
            other.publish_keys()
        ann.device.request("account/backup", {"blob": text_of(self.account.backup("ann", bytes(16)))})
        ann.device.request("account/get-backup")
        ann.device.request("account/get")
        self.refusal(self.ben, "account/get-backup", {})
        ann.device.request("gateway/info")

    def chat(self) -> None:
        ann, ben, suite = self.ann, self.ben, "x25519-hkdf-sha256-aes256gcm"
        members = ["ann", "ben"]
        conversation = self.direct = ann.conversation_with("ben")
        first = ann.send(conversation, members, {"text": "one"}, suite, expires_in=3600)
        second = ben.send(conversation, members, {"text": "two"}, "nacl-box", reply_to=first)
        for each, message in ((ben, first), (ann, second)):
            named = {"conversation_id": conversation, "message_id": message}
            each.device.request("receipts/delivered", named)
            each.device.request("receipts/read", named)
            self.assertEqual(each.device.ask("typing/start", {"conversation_id": conversation}).running(), False)
            each.device.ask("typing/stop", {"conversation_id": conversation})
        Observed.asked |= {"typing/start", "typing/stop"}
        ann.edit(conversation, members, first, "one, edited", suite)
        ben.react(conversation, members, first, "👍", suite)
        ann.delete(conversation, first)
        missing = {"conversation_id": conversation, "message_id": str(uuid.uuid4()), "id": str(uuid.uuid4())}
        self.assertEqual(self.refusal(ann, "messages/delete", missing), "not_found")
        fields = ann.seal(conversation, {"text": "stale"}, {Address("ben", "tablet"): ben.keys.public} | {}, "group-box")
        self.assertIn(self.refusal(ann, "messages/send", fields), ("stale_devices", "bad_request"))
        ann.device.request("history/get", {"conversation_id": conversation})
        ann.device.request("sync/get", {"cursors": {}})
        blob = {"id": str(uuid.uuid4()), "conversation_id": conversation, "size": 17, "digest": text_of(bytes(32))}
        ann.device.request("blobs/create", blob)
        ann.device.request("blobs/get", {"id": blob["id"]})
        ann.device.request("blobs/delete", {"id": blob["id"]})
        self.message = second
        report = {"id": str(uuid.uuid4()), "reason": "rude", "message_id": second}
        ann.device.request("reports/create", report)

    def conversations(self) -> None:
        ann = self.ann.device
        made = ann.request("conversations/create", {"type": "group", "participant_ids": ["ben"], "name": "Run"})
        named = {"conversation_id": made["id"]}
        ann.request("conversations/get", named)
        ann.request("conversations/list", {})
        ann.request("conversations/update", named | {"name": "Runners"})
        ann.request("conversations/update", named | {"is_muted": True, "muted_until": None})
        ann.request("conversations/add-members", named | {"user_ids": ["cat"]})
        ann.request("conversations/set-role", named | {"user_id": "cat", "role": "admin"})
        ann.request("conversations/remove-member", named | {"user_id": "cat"})
        self.ann.send(made["id"], ["ann", "ben"], {"text": "to all"}, "group-box")
        self.ben.device.request("conversations/leave", named)

    def social(self) -> None:
        ann, cat = self.ann.device, self.cat.device
        cat.request("profile/set", {"message_privacy": "followers", "display_name": "Cat", "presence": "friends"})
        ann.request("profile/get", {"user_id": "cat"})
        cat.request("profile/get", {})
        ann.request("social/can-message", {"user_id": "cat"})
        asking = self.ann.conversation_with("cat")
        self.ann.send(asking, ["ann", "cat"], {"text": "may I?"}, "nacl-box")
        cat.request("requests/list", {})
        cat.request("requests/decline", {"conversation_id": asking})
        cat.request("requests/accept", {"conversation_id": asking})
        for one, other in ((ann, "cat"), (cat, "ann"), (ann, "ben"), (self.ben.device, "ann")):
            one.request("social/follow", {"user_id": other})
        for listing in ("social/followers", "social/following", "social/blocked"):
            ann.request(listing, {})
        cat.request("social/block", {"user_id": "ben"})
        cat.request("social/blocked", {})
        cat.request("social/unblock", {"user_id": "ben"})
        cat.request("social/unfollow", {"user_id": "ann"})

    def groups(self) -> None:
        ann, ben, cat = (each.device for each in self.people.values())
        group = ann.request("groups/create", {"name": "Morning run", "time_zone": "Europe/Berlin"})
        named = {"group_id": group["id"]}
        invite = ann.request("invites/create", named | {"uses": 5})
        ann.request("invites/list", named)
        for each in (ben, cat):
            each.request("invites/preview", {"token": invite["token"]})
            each.request("invites/accept", {"token": invite["token"]})
        self.assertEqual(self.refusal(self.ben, "invites/preview", {"token": "A" * 22}), "invite_invalid")
        ann.request("groups/get", named)
        ann.request("groups/list")
        ann.request("groups/update", named | {"name": "Evening run"})
        workout = {"id": str(uuid.uuid4()), "completed_at": now(), "time_zone": "Europe/Berlin", "kind": "run", "minutes": 30}
        for each in (ann, ben):
            each.request("workouts/log", workout | {"id": str(uuid.uuid4())})
        ann.request("workouts/log", workout)
        for board in ("check-ins", "streak"):
            ann.request("leaderboards/get", named | {"type": board})
        ann.request("workouts/delete", {"id": workout["id"]})
        ann.request("groups/set-role", named | {"user_id": "ben", "role": "admin"})
        cat.request("groups/leave", named)
        ann.request("invites/revoke", {"id": invite["id"]})
        ann.request("groups/remove-member", named | {"user_id": "ben"})
        ann.request("groups/delete", named)

    def challenges(self) -> None:
        ann, ben = self.ann.device, self.ben.device

        def challenge() -> dict[str, str]:
            fields = {"challenged_id": "ben", "type": "steps", "target": 1000, "duration_days": 1}
            made = ann.request("challenges/create", fields | {"id": str(uuid.uuid4()), "conversation_id": self.direct})
            return {"id": made["id"]}

        accepted, declined, cancelled = challenge(), challenge(), challenge()
        ben.request("challenges/accept", accepted)
        ben.request("challenges/decline", declined)
        ann.request("challenges/cancel", cancelled)
        self.assertEqual(self.refusal(self.ben, "challenges/decline", accepted), "conflict")
        ann.request("challenges/get", accepted)
        ann.request("challenges/list", {})
        day = datetime.now(timezone.utc).strftime("%Y-%m-%d")
        ann.request("metrics/report", {"date": day, "time_zone": "UTC", "steps": 500, "version": 1})

    def activity(self) -> None:
        ann, ben = self.ann.device, self.ben.device
        item = {"id": str(uuid.uuid4()), "type": "goal_reached", "title": "5 km", "metadata": {"km": 5, "fast": True}}
        ann.request("activity/post", item)
        ben.request("activity/react", {"id": item["id"], "emoji": "👏"})
        ben.request("activity/list", {})
        ben.request("activity/unreact", {"id": item["id"]})
        ben.request("summary/get", {"user_id": "ann"})
        ann.request("notifications/list", {})
        ann.request("notifications/mark-read", {"all": True})

    def devices(self) -> None:
        ann = self.ann.device
        laptop = self.messenger(self.tool.add(Address("ann", "laptop"), new_user=False))
        link = Link(laptop.address, laptop.keys.public, bytes(laptop.signing.verify_key))
        keys = {"identity_key": link.identity, "signing_key": link.signing, "link_key": link.link_key}
        laptop.device.request("links/offer", {name: text_of(value) for name, value in keys.items()})
        ann.request("links/get", {"device_id": "laptop"})
        certificate, at = self.account.certify(laptop.address, link.identity, link.signing)
        ann.request(
            "links/approve",
            {"device_id": "laptop", "certificate": text_of(certificate), "issued_at": at,
             "sealed": text_of(self.account.sealed_for(link.link_key))},
        )  # fmt: skip
        laptop.publish_keys({"account_key": self.account.public, "certificate": certificate}, at)
        ann.request("keys/get", {"user_id": "ann"})
        ann.request("push/register", {"provider": "fcm", "token": "a"})
        ann.request("devices/list")
        self.ben.device.request("push/register", {"provider": "fcm", "token": "a"})
        ann.request("push/unregister")
        ann.request("devices/renew")
        ann.request("devices/revoke", {"device_id": "laptop"})

    def operators(self) -> None:
        operator = self.operator
        operator.request("admin/add-user", {"user_id": "dan", "display_name": "Dan"})
        operator.request("admin/add-device", {"user_id": "dan", "device_id": "phone", "ttl_days": 1})
        operator.request("admin/list-users", {})
        operator.request("admin/explain", {"from": "ann", "to": "dan"})
        operator.request("admin/list-reports", {})
        operator.request("admin/trace", {"id": self.message})
        operator.request("admin/explain-push", {"message_id": self.message, "user_id": "ann"})
        operator.request("admin/test-push", {"user_id": "ann"})
        operator.request("admin/status", {})
        dan = {"user_id": "dan"}
        operator.request("admin/renew-device", dan | {"device_id": "phone", "ttl_days": 1})
        operator.request("admin/rename-user", dan | {"display_name": "Daniel"})
        operator.request("admin/disable-user", dan)
        operator.request("admin/enable-user", dan)
        for user in ("ann", "ben", "dan"):
            operator.request("admin/get-user", {"user_id": user})
            page = operator.request("admin/export-user", {"user_id": user, "limit": 200})
            while page["next_cursor"]:
                page = operator.request("admin/export-user", {"user_id": user, "cursor": page["next_cursor"]})
        operator.request("admin/set-retention", {"conversation_id": self.direct, "days": 3650})
        operator.request("admin/get-retention", {"conversation_id": self.direct})
        operator.request("admin/revoke-device", {"user_id": "dan", "device_id": "phone"})
        operator.request("admin/add-device", {"user_id": "dan", "device_id": "watch", "is_new": True})
        operator.request("admin/remove-user", dan)
        operator.request("admin/erase-user", dan)


if __name__ == "__main__":
    unittest.main(verbosity=2)
