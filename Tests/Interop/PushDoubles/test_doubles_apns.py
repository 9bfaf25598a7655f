"""The double of Apple's service."""

import contextlib
import json
import subprocess
import threading
import time
import unittest
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from doubles_case import CONVERSATION, DoublesTestCase, Reply, notification, sign
from services import key_of


class Apple(DoublesTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        pem = Path(cls.services.settings["apns_key_file"]).read_bytes()
        key = serialization.load_pem_private_key(pem, None)
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        cls.key = key

    def setUp(self) -> None:
        self.device = self.services.apns_device()

    def provider_token(self, age: int = 0, key: ec.EllipticCurvePrivateKey | None = None, **changes: Any) -> str:
        settings = self.services.settings
        header = {"alg": "ES256", "kid": settings["apns_key_id"]} | changes.pop("header", {})
        claims = {"iss": settings["apns_team_id"], "iat": int(time.time()) - age} | changes
        return sign(header, claims, key or self.key)

    def push(
        self, found: dict[str, Any] | None = None, *options: str, payload: str | None = None, token: str | None = None,
        path: str | None = None, **changes: str,
    ) -> Reply:  # fmt: skip
        found = found or notification()
        aps = {
            "alert": {"title-loc-key": "PARLEY_MESSAGE"}, "mutable-content": 1, "thread-id": CONVERSATION,
            "badge": found["badge"],
        }  # fmt: skip
        expiration = str(int(time.mktime(time.strptime(found["expires_at"], "%Y-%m-%dT%H:%M:%S.000Z")) - time.timezone))
        headers = {
            "authorization": f"bearer {token or self.provider_token()}", "apns-topic": "app.parley",
            "apns-push-type": "alert", "apns-id": found["id"], "apns-priority": "10", "apns-expiration": expiration,
            "apns-collapse-id": CONVERSATION,
        } | {name.replace("_", "-"): value for name, value in changes.items()}  # fmt: skip
        url = self.services.settings["apns_url"] + (path or f"/3/device/{self.device['token']}")
        if payload is None:
            payload = json.dumps({"aps": aps, "parley": found})
        return self.post(
            url, payload, "--http2-prior-knowledge" if not url.startswith("https") else "--http2", *options, **headers
        )

    def test_what_is_right_is_taken_over_http2_and_nothing_else_is_spoken(self) -> None:
        found = notification()
        reply = self.push(found)
        self.assertEqual((reply.status, reply.protocol, reply.headers["apns-id"]), (200, "HTTP/2", found["id"]))
        record = self.last()
        self.assertEqual((record["object"], record["complaints"], record["taken"]), (found, [], True))
        self.assertNotEqual(self.push(None, "--http1.1").exit, 0)

    def test_each_wrong_header_has_the_answer_that_apple_documents(self) -> None:
        cases = [
            ({"apns_topic": "app.other"}, 400, "DeviceTokenNotForTopic"),
            ({"apns_topic": ""}, 400, "MissingTopic"),
            ({"apns_push_type": "loud"}, 400, "InvalidPushType"),
            ({"apns_id": "42"}, 400, "BadMessageId"),
            ({"apns_priority": "7"}, 400, "BadPriority"),
            ({"apns_push_type": "background"}, 400, "BadPriority"),
            ({"apns_expiration": "tomorrow"}, 400, "BadExpirationDate"),
            ({"apns_collapse_id": "x" * 65}, 400, "BadCollapseId"),
            ({"authorization": "basic x"}, 403, "MissingProviderToken"),
            ({"path": "/3/device/"}, 400, "MissingDeviceToken"),
            ({"path": "/3/device/00ff"}, 400, "BadDeviceToken"),
            ({"path": "/2/device/00ff"}, 404, "BadPath"),
            ({"payload": ""}, 400, "PayloadEmpty"),
            ({"payload": "x" * 4097}, 413, "PayloadTooLarge"),
        ]  # fmt: skip
        for changes, status, reason in cases:
            with self.subTest(reason, **changes):
                reply = self.push(**changes)
                self.assertEqual((reply.status, reply.reason), (status, reason))
                self.assertFalse(self.last()["taken"])

    def test_a_provider_token_must_be_signed_by_the_key_for_the_team_within_the_hour(self) -> None:
        stranger = ec.generate_private_key(ec.SECP256R1())
        cases = [
            (self.provider_token(age=3700), "ExpiredProviderToken"),
            (self.provider_token(age=-600), "InvalidProviderToken"),
            (self.provider_token(key=stranger), "InvalidProviderToken"),
            (self.provider_token(iss="TEAM000000"), "InvalidProviderToken"),
            (self.provider_token(header={"kid": "OTHER12345"}), "InvalidProviderToken"),
            (self.provider_token(header={"alg": "none"}), "InvalidProviderToken"),
            (self.provider_token()[:-6], "InvalidProviderToken"),
            ("no token", "InvalidProviderToken"),
        ]  # fmt: skip
        for token, reason in cases:
            with self.subTest(reason, token=token):
                reply = self.push(token=token)
                self.assertEqual((reply.status, reply.reason), (403, reason))
        self.assertEqual(self.push(token=self.provider_token(age=3000)).status, 200)

    def test_a_name_or_a_text_is_a_complaint(self) -> None:
        found = notification()
        aps: dict[str, Any] = {
            "alert": {"title-loc-key": "PARLEY_MESSAGE"}, "mutable-content": 1, "thread-id": CONVERSATION,
        }  # fmt: skip
        cases: list[Callable[[], tuple[dict[str, Any], dict[str, Any]]]] = [
            lambda: (aps | {"alert": "Alice: hello"}, found),
            lambda: (aps | {"alert": aps["alert"] | {"body": "hello"}}, found),
            lambda: (aps | {"alert": {"title-loc-key": "Alice writes"}}, found),
            lambda: (aps | {"alert": aps["alert"] | {"title-loc-args": ["Alice"]}}, found),
            lambda: (aps | {"subtitle": "hello"}, found),
            lambda: (aps, found | {"sender_name": "Alice"}),
            lambda: (aps, found | {"message": found["message"] | {"text": "hello"}}),
            lambda: ({"mutable-content": 1}, found),
            lambda: (aps | {"thread-id": "another"}, found),
            lambda: (aps, found | {"id": str(uuid.uuid4())}),
            lambda: (aps, found | {"seq": 41}),
            lambda: (aps, found | {"badge": "three"}),
        ]
        for case in cases:
            changed_aps, changed = case()
            with self.subTest(aps=changed_aps):
                reply = self.push(found, payload=json.dumps({"aps": changed_aps, "parley": changed}))
                self.assertEqual(reply.status, 200)
                self.assertNotEqual(self.last()["complaints"], [])

    def test_answers_come_as_planned_one_after_the_other(self) -> None:
        key = key_of(self.device)
        since = 1_700_000_000_000
        self.services.plan(
            "apns", key, {"status": 410, "timestamp": since}, {"status": 429, "retry_after": 7},
            {"status": 400, "reason": "BadDeviceToken"}, {"status": 500}, {"status": 503},
            {"status": 302, "location": "https://x/"},
        )  # fmt: skip
        gone = self.push()
        self.assertEqual((gone.status, json.loads(gone.body)), (410, {"reason": "Unregistered", "timestamp": since}))
        busy = self.push()
        self.assertEqual((busy.status, busy.reason, busy.headers["retry-after"]), (429, "TooManyRequests", "7"))
        self.assertEqual(self.push().reason, "BadDeviceToken")
        self.assertEqual([self.push().status, self.push().status], [500, 503])
        moved = self.push()
        self.assertEqual((moved.status, moved.headers["location"]), (302, "https://x/"))
        self.assertEqual(self.push().status, 200)

    def test_a_provider_token_that_has_expired_stays_so(self) -> None:
        token = self.provider_token(age=1)
        self.services.plan("apns", key_of(self.device), {"status": 403})
        self.assertEqual([self.push(token=token).reason for _ in range(2)], ["ExpiredProviderToken"] * 2)
        self.assertEqual(self.push(token=self.provider_token(age=2)).status, 200)

    def test_another_token_on_the_same_connection_within_twenty_minutes_is_too_many(self) -> None:
        url = self.services.settings["apns_url"] + f"/3/device/{self.device['token']}"

        def config(token: str) -> str:
            head = "\n".join(
                f'header = "{line}"'
                for line in (f"authorization: bearer {token}", "apns-topic: app.parley", "apns-priority: 10")
            )
            rest = f'data = "x"\noutput = "-"\nwrite-out = "%{{http_code}}\\n"\nhttp2\ncacert = "{self.trust}"'
            return f'url = "{url}"\n{rest}\n{head}\n'

        text = config(self.provider_token(age=30)) + "next\n" + config(self.provider_token(age=0))
        done = subprocess.run(["curl", "-s", "-K", "-"], input=text, capture_output=True, encoding="utf-8", timeout=60)
        self.assertIn("429", done.stdout)
        self.assertIn("TooManyProviderTokenUpdates", done.stdout)

    def test_each_fault_is_one_to_its_client(self) -> None:
        key = key_of(self.device)
        for fault in ("close", "midway", "garbage", "reset"):
            with self.subTest(fault):
                self.services.plan("apns", key, {"fault": fault})
                before = len(self.services.records())
                self.assertNotEqual(self.push().exit, 0)
                self.assertEqual([each["taken"] for each in self.services.records()[before:]], [fault == "midway"])
        # curl tries again by itself what was refused for certain.
        for fault in ("refuse", "goaway"):
            with self.subTest(fault):
                self.services.plan("apns", key, {"fault": fault})
                before = len(self.services.records())
                reply = self.push()
                came = self.services.records()[before:]
                self.assertFalse(came[0]["taken"])
                if reply.exit == 0:
                    self.assertEqual([each["taken"] for each in came], [False, True])
        self.services.plan("apns", key, {"fault": "goaway-after"})
        self.assertEqual(self.push().status, 200)
        self.services.plan("apns", key, {"fault": "endless"})
        self.assertEqual(self.push(None, "--max-time", "1").exit, 28)
        self.services.plan("apns", key, {"fault": "close", "taken": True})
        self.push()
        self.assertTrue(self.last()["taken"])

    def test_what_hangs_is_answered_when_it_is_released(self) -> None:
        self.services.plan("apns", key_of(self.device), {"fault": "hang"})
        before = len(self.services.records())
        replies: list[Reply] = []
        with contextlib.ExitStack() as stack:
            thread = threading.Thread(target=lambda: replies.append(self.push()))
            thread.start()
            stack.callback(thread.join)
            self.services.until("the request", lambda records: len(records) > before)
            self.assertEqual(replies, [])
            self.services.release()
        self.assertEqual(replies[0].status, 200)


if __name__ == "__main__":
    unittest.main()
