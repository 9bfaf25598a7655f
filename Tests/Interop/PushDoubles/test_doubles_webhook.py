"""The receiver of webhooks."""

import hashlib
import hmac
import json
import time
import unittest
import uuid
from typing import Any

from doubles_case import DoublesTestCase, Reply, notification


class Hooks(DoublesTestCase):
    def send(
        self, hook: dict[str, Any], *options: str, at: int | None = None, scheme: str = "https", **changes: Any
    ) -> Reply:
        found, now = notification(), int(time.time()) if at is None else at
        body = changes.pop("body", json.dumps(found))
        secret = changes.pop("secret", hook["secret"])
        signature = hmac.new(
            secret.encode(), f"{now}.".encode() + json.dumps(found).encode(), hashlib.sha256
        ).hexdigest()
        headers = {
            "content_type": "application/json", "parley_id": found["id"], "parley_signature": f"t={now},v1={signature}",
        } | changes  # fmt: skip
        return self.post(hook[scheme], body, *options, **headers)

    def test_what_is_signed_is_taken_by_every_protocol(self) -> None:
        hook = self.services.call("/hook", {})
        for scheme, *options in (("https", "--http2"), ("https", "--http1.1"), ("http",)):
            self.assertEqual(self.send(hook, *options, scheme=scheme).status, 204)
            self.assertEqual(self.last()["complaints"], [])

    def test_what_is_signed_otherwise_or_at_another_time_is_refused(self) -> None:
        hook = self.services.call("/hook", {})
        for changes in (
            {"secret": "of somebody else"}, {"at": int(time.time()) - 400}, {"at": int(time.time()) + 400},
            {"body": json.dumps(notification())}, {"parley_signature": "v1=00"},
        ):  # fmt: skip
            with self.subTest(changes):
                self.assertEqual(self.send(hook, **changes).status, 401)

    def test_what_is_not_as_promised_is_a_complaint(self) -> None:
        hook = self.services.call("/hook", {})
        for changes in ({"parley_id": str(uuid.uuid4())}, {"content_type": "text/plain"}):
            self.assertEqual(self.send(hook, **changes).status, 204)
            self.assertEqual(len(self.last()["complaints"]), 1)

    def test_answers_and_faults_come_as_planned_over_http1(self) -> None:
        hook = self.services.call("/hook", {})
        self.services.plan(
            "webhook", hook["id"], {"status": 500, "times": 2}, {"status": 302, "location": "http://127.0.0.1:1/"},
            {"fault": "close"}, {"fault": "midway", "reason": "x", "status": 200}, {"fault": "garbage"},
            {"fault": "endless", "status": 200},
            {"fault": "slow", "ms": 200}, always={"status": 410},
        )  # fmt: skip
        # The seventh is the one without end.
        replies = [
            self.send(hook, *(["--max-time", "2"] if number == 6 else []), scheme="http") for number in range(9)
        ]
        self.assertEqual([reply.status for reply in replies[:3]], [500, 500, 302])
        self.assertEqual([reply.exit for reply in replies[3:5]], [52, 18])
        self.assertNotEqual(replies[5].exit, 0)
        self.assertEqual([reply.exit for reply in replies[6:]], [28, 0, 0])
        self.assertEqual([reply.status for reply in replies[7:]], [204, 410])


if __name__ == "__main__":
    unittest.main()
