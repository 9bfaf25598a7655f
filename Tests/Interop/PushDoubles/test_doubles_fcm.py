"""The double of Google's service."""

import json
import time
import unittest
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from doubles_case import CONVERSATION, DoublesTestCase, Reply, notification, sign


class Google(DoublesTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.account = json.loads(Path(cls.services.settings["fcm_account_file"]).read_text())
        key = serialization.load_pem_private_key(cls.account["private_key"].encode(), None)
        assert isinstance(key, rsa.RSAPrivateKey)
        cls.key = key

    def ask_token(self, key: rsa.RSAPrivateKey | None = None, **changes: Any) -> Reply:
        now = int(time.time())
        claims = {
            "iss": self.account["client_email"], "aud": self.account["token_uri"], "iat": now, "exp": now + 3600,
            "scope": "https://www.googleapis.com/auth/firebase.messaging",
        }  # fmt: skip
        assertion = sign({"alg": "RS256", "typ": "JWT"}, claims | changes, key or self.key)
        body = f"grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion={assertion}"
        return self.post(self.account["token_uri"], body, content_type="application/x-www-form-urlencoded")

    def send(self, access: str, token: str, **changes: Any) -> Reply:
        found = notification()
        message = {
            "token": token, "data": {"parley": json.dumps(found)},
            "android": {"priority": "HIGH", "ttl": "3600s", "collapse_key": CONVERSATION},
        } | changes  # fmt: skip
        url = f"{self.services.settings['fcm_url']}/v1/projects/{self.account['project_id']}/messages:send"
        return self.post(url, json.dumps({"message": message}), authorization=f"Bearer {access}")

    def test_an_assertion_is_worth_a_token_and_that_sends(self) -> None:
        access = json.loads(self.ask_token().body)["access_token"]
        token = self.services.fcm_device()["token"]
        reply = self.send(access, token)
        self.assertEqual((reply.status, json.loads(reply.body)["name"][:24]), (200, "projects/parley-doubles/"))
        self.assertEqual((self.last()["complaints"], self.last()["key"]), ([], token))

    def test_an_assertion_that_another_signed_or_for_something_else_is_refused(self) -> None:
        stranger, now = rsa.generate_private_key(public_exponent=65537, key_size=2048), int(time.time())
        for changes in (
            {"key": stranger}, {"aud": "https://elsewhere/token"}, {"iss": "another"}, {"scope": "everything"},
            {"exp": now - 1}, {"iat": now - 7200, "exp": now + 3600},
        ):  # fmt: skip
            with self.subTest(changes.keys()):
                reply = self.ask_token(**changes)
                self.assertEqual((reply.status, json.loads(reply.body)["error"]), (400, "invalid_grant"))

    def test_messages_that_fcm_does_not_take(self) -> None:
        access = json.loads(self.ask_token().body)["access_token"]
        token = self.services.fcm_device()["token"]
        self.assertEqual(self.send("another", token).status, 401)
        for changes in (
            {"token": "unknown"}, {"data": {"parley": {"id": 1}}}, {"data": {"parley": "x" * 4091}},
            {"android": {"ttl": "3600"}}, {"android": {"priority": "loud"}},
        ):  # fmt: skip
            with self.subTest(changes):
                reply = self.send(access, **({"token": token} | changes))
                error = json.loads(reply.body)["error"]
                self.assertEqual((reply.status, error["details"][0]["errorCode"]), (400, "INVALID_ARGUMENT"))

    def test_what_would_be_shown_without_the_app_is_a_complaint(self) -> None:
        access = json.loads(self.ask_token().body)["access_token"]
        token = self.services.fcm_device()["token"]
        self.assertEqual(self.send(access, token, notification={"title": "Alice"}).status, 200)
        self.assertEqual(len(self.last()["complaints"]), 1)

    def test_errors_come_as_planned(self) -> None:
        access = json.loads(self.ask_token().body)["access_token"]
        token = self.services.fcm_device()["token"]
        self.services.plan(
            "fcm", token, {"reason": "UNREGISTERED"}, {"reason": "QUOTA_EXCEEDED", "retry_after": 30}, {"status": 500},
            {"status": 401},
        )  # fmt: skip
        for status, fcm_error in ((404, "UNREGISTERED"), (429, "QUOTA_EXCEEDED"), (500, "INTERNAL")):
            reply = self.send(access, token)
            self.assertEqual(
                (reply.status, json.loads(reply.body)["error"]["details"][0]["errorCode"]), (status, fcm_error)
            )
            if status == 429:
                self.assertEqual(reply.headers["retry-after"], "30")
        # An access token that was refused stays so.
        self.assertEqual([self.send(access, token).status for _ in range(2)], [401, 401])


if __name__ == "__main__":
    unittest.main()
