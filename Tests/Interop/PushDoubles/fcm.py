"""Google's push service: the OAuth token endpoint for service accounts (RFC 7523) and FCM's HTTP v1 `messages:send`."""

import json
import re
import secrets
import time
import urllib.parse
from typing import Any

import contract
from authority import GoogleAccount
from exchange import Answer, Finding, Request
from tokens import BadToken, read_token

GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
TOKEN_PATH = "/token"
LARGEST_DATA = 4096
TTL = re.compile(r"[0-9]{1,7}(\.[0-9]{1,9})?s\Z")
# Status → google.rpc.Code and FcmError, as the reference «ErrorCode» pairs them.
ERRORS = {
    400: ("INVALID_ARGUMENT", "INVALID_ARGUMENT"), 401: ("UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"),
    403: ("PERMISSION_DENIED", "SENDER_ID_MISMATCH"), 404: ("NOT_FOUND", "UNREGISTERED"),
    429: ("RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"), 500: ("INTERNAL", "INTERNAL"), 503: ("UNAVAILABLE", "UNAVAILABLE"),
}  # fmt: skip
OF_FCM_ERROR = {fcm_error: status for status, (_, fcm_error) in ERRORS.items()}
# What a message may be beside its target: anything else could be shown without the app.
OF_MESSAGE, OF_ANDROID = {"token", "data", "android"}, {"priority", "ttl", "collapse_key", "direct_boot_ok"}


class FCM:
    name = "fcm"

    def __init__(self, account: GoogleAccount) -> None:
        self._account = account
        self.token_uri = ""
        self._devices: set[str] = set()
        # Access token → when it ends.
        self._access: dict[str, float] = {}

    def add_device(self) -> str:
        token = f"{secrets.token_urlsafe(16)}:APA91b{secrets.token_urlsafe(100)}"
        self._devices.add(token)
        return token

    # What comes

    def examine(self, request: Request) -> Finding:
        if request.path == TOKEN_PATH:
            return self._examine_assertion(request)
        if request.method != "POST" or request.path != f"/v1/projects/{self._account.project}/messages:send":
            return Finding(refusal=self._error(404, "NOT_FOUND", None, "The requested URL was not found."))
        scheme, _, access = request.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer" or self._access.get(access, 0) < time.time():
            return Finding(refusal=self._error(401, "UNAUTHENTICATED", None, "Request had invalid credentials."))
        try:
            message = json.loads(request.body)["message"]
            token, data, android = message["token"], message["data"], message.get("android", {})
        except (ValueError, KeyError, TypeError, AttributeError):
            return Finding(refusal=self._error(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "Not a message."))
        finding = Finding(key=token if isinstance(token, str) else None)
        finding.refusal = self._refusal(finding.key, data, android)
        if finding.refusal is None:
            finding.details["object"], finding.complaints = contract.read_object(data.get("parley", ""))
            finding.complaints += self._complaints(message, finding.details["object"])
        return finding

    def _examine_assertion(self, request: Request) -> Finding:
        finding = Finding(key="token")
        try:
            form = urllib.parse.parse_qs(request.body.decode(), strict_parsing=True)
            if request.method != "POST" or form["grant_type"] != [GRANT]:
                raise BadToken("not a POST, or another grant_type")
            assertion = read_token(form["assertion"][0], self._account.key.public_key())
            issued, expires = assertion.time("iat"), assertion.time("exp")
        except (BadToken, KeyError, ValueError) as error:
            finding.refusal = self._refuse_grant(str(error))
            return finding
        claims, now = assertion.claims, time.time()
        if (claims.get("iss"), claims.get("aud"), claims.get("scope")) != (self._account.email, self.token_uri, SCOPE):
            finding.refusal = self._refuse_grant("iss, aud or scope is another")
        elif not issued - 60 <= now < expires or not issued < expires <= issued + 3600:
            finding.refusal = self._refuse_grant("iat and exp are not around the present, or an hour apart at most")
        return finding

    def _refusal(self, token: str | None, data: Any, android: Any) -> Answer | None:
        def invalid(what: str) -> Answer:
            return self._error(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", what)

        if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
            return invalid("data must be a map of strings.")
        if sum(len(name.encode()) + len(value.encode()) for name, value in data.items()) > LARGEST_DATA:
            return invalid("Android message is too big.")
        if not isinstance(android, dict) or android.get("priority", "NORMAL") not in ("NORMAL", "HIGH"):
            return invalid("Invalid value at message.android.priority.")
        if "ttl" in android and not (isinstance(android["ttl"], str) and TTL.match(android["ttl"])):
            return invalid("Invalid value at message.android.ttl.")
        if token not in self._devices:
            return invalid("The registration token is not a valid FCM registration token.")
        return None

    @staticmethod
    def _complaints(message: dict[str, Any], found: dict[str, Any] | None) -> list[str]:
        android = message.get("android", {})
        wrong = [f"message.{name} may be shown without the app" for name in message.keys() - OF_MESSAGE]
        wrong += [f"message.android.{name} may be shown without the app" for name in android.keys() - OF_ANDROID]
        wrong += [f"data.{name} is not the object" for name in message["data"].keys() - {"parley"}]
        if found and found.get("type") == "message":
            if android.get("priority") != "HIGH":
                wrong.append("a message without priority HIGH")
            if android.get("collapse_key") != found.get("conversation_id"):
                wrong.append("collapse_key of a message is not the conversation's id")
        if "ttl" not in android:
            wrong.append("no ttl")
        return wrong

    # What is answered

    @staticmethod
    def _error(status: int, code: str, fcm_error: str | None, message: str) -> Answer:
        error: dict[str, Any] = {"code": status, "message": message, "status": code}
        if fcm_error:
            kind = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
            error["details"] = [{"@type": kind, "errorCode": fcm_error}]
        body = json.dumps({"error": error}).encode()
        return Answer(status, body, {"content-type": "application/json; charset=UTF-8"})

    @staticmethod
    def _refuse_grant(why: str) -> Answer:
        body = json.dumps({"error": "invalid_grant", "error_description": why}).encode()
        return Answer(400, body, {"content-type": "application/json"})

    def answer(self, request: Request, finding: Finding, planned: dict[str, Any]) -> Answer:
        """`reason` is FCM's code of an error. A 401 ends the access token that was used. For the token endpoint the
        key is `token`, and `expires_in` in seconds."""
        status = planned.get("status", OF_FCM_ERROR.get(planned.get("reason", ""), 200))
        if status == 200:
            return self._grant(planned) if finding.key == "token" else self._accept()
        if status == 401:
            self._access.pop(request.headers.get("authorization", "").partition(" ")[2], None)
        code, fcm_error = ERRORS.get(status, ("INTERNAL", "INTERNAL"))
        answer = self._error(status, code, planned.get("reason", fcm_error), "As was planned.")
        for name, header in (("retry_after", "retry-after"), ("location", "location")):
            if name in planned:
                answer.headers[header] = str(planned[name])
        return answer

    def _grant(self, planned: dict[str, Any]) -> Answer:
        life = planned.get("expires_in", 3599)
        token = f"ya29.{secrets.token_urlsafe(64)}"
        self._access[token] = time.time() + life
        body = json.dumps({"access_token": token, "expires_in": life, "token_type": "Bearer"}).encode()
        return Answer(200, body, {"content-type": "application/json; charset=UTF-8"})

    def _accept(self) -> Answer:
        name = f"projects/{self._account.project}/messages/0:{secrets.randbits(50)}%{secrets.token_hex(8)}"
        return Answer(200, json.dumps({"name": name}).encode(), {"content-type": "application/json; charset=UTF-8"})

    def deliver(self, request: Request, finding: Finding) -> None:
        pass
