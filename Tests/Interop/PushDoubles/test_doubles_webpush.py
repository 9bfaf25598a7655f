"""The Web Push service, and what it has for browsers."""

import base64
import hashlib
import json
import time
import unittest
import uuid
from typing import Any

import pywebpush
import requests
from cryptography.hazmat.primitives import serialization
from py_vapid import Vapid02
from websockets.sync.client import connect

from doubles_case import CONVERSATION, DoublesTestCase, encode, notification


class Web(DoublesTestCase):
    """By pywebpush, which seals with http_ece and signs with py_vapid."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.session = requests.Session()
        cls.session.verify = cls.trust
        # The environment's authorities would take the place of this one.
        cls.session.trust_env = False
        cls.addClassCleanup(cls.session.close)
        cls.vapid = Vapid02()
        cls.vapid.generate_keys()

    def setUp(self) -> None:
        self.made = self.services.call("/subscribe", {})

    def push(
        self, found: Any, *, pad: bool = True, made: dict[str, str] | None = None, claims: dict[str, Any] | None = None,
        **headers: str,
    ) -> "requests.Response":  # fmt: skip
        made = made or self.made
        info = {"endpoint": made["endpoint"], "keys": {"p256dh": made["p256dh"], "auth": made["auth"]}}
        text = found if isinstance(found, str) else json.dumps(found)
        if pad:
            # White space after the object is none of the padding of RFC 8188, and makes the same length.
            text += " " * (-(len(text) + 1) % 256)
        auth = base64.urlsafe_b64decode(made["auth"] + "==")
        topic = encode(hashlib.blake2b(CONVERSATION.encode(), digest_size=32, key=auth).digest())[:32]
        fields = {"ttl": "3000", "urgency": "high", "topic": topic} | headers
        fields |= self.vapid.sign({"aud": f"https://localhost:{self.services.ports['webpush']}",
                                   "sub": "mailto:test@example.org"} | (claims or {}))  # fmt: skip
        fields = {name: value for name, value in fields.items() if value != "none"}
        return pywebpush.WebPusher(info, requests_session=self.session).send(
            text, headers=fields, ttl=int(fields.get("ttl", "0")) if fields.get("ttl", "0").isdigit() else 0
        )

    def test_what_pywebpush_sends_is_taken_opened_and_waits(self) -> None:
        found = notification()
        reply = self.push(found)
        self.assertEqual((reply.status_code, reply.headers["ttl"]), (201, "3000"))
        self.assertEqual((self.last()["object"], self.last()["complaints"]), (found, []))
        waiting = self.services.call("/waiting", {"id": self.made["id"]})
        self.assertEqual(waiting, {"messages": [found], "replaced": 0})

    def test_a_topic_replaces_what_waits(self) -> None:
        found = [notification() for _ in range(3)]
        for each in found:
            self.push(each)
        waiting = self.services.call("/waiting", {"id": self.made["id"]})
        self.assertEqual(waiting, {"messages": [found[-1]], "replaced": 2})

    def test_what_is_sealed_for_another_device_or_not_padded_is_a_complaint(self) -> None:
        other = self.services.call("/subscribe", {})
        self.assertEqual(self.push(notification(), made=other | {"endpoint": self.made["endpoint"]}).status_code, 201)
        self.assertIn("does not open", self.last()["complaints"][0])
        self.push(notification(), pad=False)
        self.assertIn("no multiple of 256", self.last()["complaints"][0])
        self.push(notification(), urgency="normal")
        self.assertIn("Urgency", self.last()["complaints"][0])
        unkeyed = encode(hashlib.blake2b(CONVERSATION.encode(), digest_size=32).digest())[:32]
        for topic in ("another", unkeyed):
            self.push(notification(), topic=topic)
            self.assertIn("Topic", self.last()["complaints"][0])

    def test_a_vapid_token_is_for_this_service_and_a_day_at_most(self) -> None:
        for claims in (
            {"aud": "https://elsewhere"}, {"exp": int(time.time()) - 1}, {"exp": int(time.time()) + 90_000},
        ):  # fmt: skip
            with self.subTest(claims):
                self.assertEqual(self.push(notification(), claims=claims).status_code, 403)
        self.assertEqual(self.push(notification(), Authorization="none").status_code, 201)
        point = self.vapid.public_key.public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        restricted = self.services.call("/subscribe", {"server_key": encode(point)})
        self.assertEqual(self.push(notification(), made=restricted).status_code, 201)
        another = self.services.call("/subscribe", {"server_key": self.made["p256dh"]})
        self.assertEqual(self.push(notification(), made=another).status_code, 403)

    def test_requests_that_no_push_service_takes(self) -> None:
        url, body = self.made["endpoint"], b"x" * 103
        good = {"ttl": "60", "content_encoding": "aes128gcm"}
        for changes, status in (
            ({}, 401), ({"ttl": "soon"}, 400), ({"urgency": "now"}, 400), ({"topic": "x" * 33}, 400),
            ({"content_encoding": "aesgcm"}, 415), ({"authorization": "vapid t=a.b.c, k=AAAA"}, 403),
        ):  # fmt: skip
            with self.subTest(changes):
                self.assertEqual(self.post(url, body, **(good | changes)).status, status)
        self.assertEqual(self.post(url, b"x" * 4097, **good).status, 413)
        self.assertEqual(self.post(url[:-4], body, **good).status, 404)

    def test_answers_come_as_planned_and_a_subscription_that_was_given_up_is_gone(self) -> None:
        self.services.plan(
            "webpush", self.made["id"], {"status": 429, "retry_after": 3}, {"status": 404}, {"status": 413},
            {"status": 307, "location": "https://localhost:1/"},
        )  # fmt: skip
        first = self.push(notification())
        self.assertEqual((first.status_code, first.headers["retry-after"]), (429, "3"))
        self.assertEqual([self.push(notification()).status_code for _ in range(2)], [404, 413])
        self.assertEqual(
            self.post(self.made["endpoint"], b"x" * 103, ttl="1", content_encoding="aes128gcm").status, 401
        )
        self.services.call("/unsubscribe", {"id": self.made["id"]})
        self.assertEqual(
            self.post(self.made["endpoint"], b"x" * 103, ttl="1", content_encoding="aes128gcm").status, 410
        )

    def test_a_browser_that_is_connected_gets_what_is_pushed_as_it_was_sealed(self) -> None:
        with connect(f"ws://127.0.0.1:{self.services.ports['autopush']}") as browser:

            def ask(**said: Any) -> dict[str, Any]:
                browser.send(json.dumps(said))
                return json.loads(browser.recv(10))

            self.assertTrue(ask(messageType="hello", uaid="", use_webpush=True)["use_webpush"])
            channel = str(uuid.uuid4())
            registered = ask(messageType="register", channelID=channel)
            self.push(notification(), made=self.made | {"endpoint": registered["pushEndpoint"]})
            pushed = json.loads(browser.recv(10))
            self.assertEqual((pushed["messageType"], pushed["channelID"]), ("notification", channel))
            sent = self.last().get("body_base64")
            self.assertEqual(pushed["data"], encode(base64.b64decode(sent)))


if __name__ == "__main__":
    unittest.main()
