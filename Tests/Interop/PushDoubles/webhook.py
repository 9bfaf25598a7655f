"""A receiver of webhooks that checks `Parley-Signature` (protocol, section 7)."""

import hashlib
import hmac
import re
import secrets
import time
from typing import Any

import contract
from exchange import Answer, Finding, Request

SIGNATURE = re.compile(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})\Z")
# In seconds: what is older may have been sent before.
TOLERANCE = 300


class Webhook:
    name = "webhook"

    def __init__(self) -> None:
        # Id → secret.
        self._hooks: dict[str, str] = {}

    def add(self, secret: str | None = None) -> dict[str, str]:
        identifier = secrets.token_hex(8)
        self._hooks[identifier] = secret or secrets.token_urlsafe(24)
        return {"id": identifier, "secret": self._hooks[identifier]}

    def examine(self, request: Request) -> Finding:
        identifier = request.path.removeprefix("/hook/")
        secret = self._hooks.get(identifier)
        if secret is None or not request.path.startswith("/hook/"):
            return Finding(refusal=Answer(404))
        finding = Finding(key=identifier)
        if request.method != "POST":
            finding.refusal = Answer(405)
        elif why := self._distrust(request, secret):
            finding.refusal = Answer(401, why.encode())
        else:
            finding.details["object"], finding.complaints = contract.read_object(request.body)
            finding.complaints += self._complaints(request, finding.details["object"])
        return finding

    @staticmethod
    def _distrust(request: Request, secret: str) -> str | None:
        signature = SIGNATURE.match(request.headers.get("parley-signature", ""))
        if not signature:
            return "no Parley-Signature"
        if abs(int(signature[1]) - time.time()) > TOLERANCE:
            return "signed at another time"
        expected = hmac.new(secret.encode(), f"{signature[1]}.".encode() + request.body, hashlib.sha256).hexdigest()
        return None if hmac.compare_digest(expected, signature[2]) else "the signature does not hold"

    @staticmethod
    def _complaints(request: Request, found: dict[str, Any] | None) -> list[str]:
        wrong = []
        if request.headers.get("content-type") != "application/json":
            wrong.append(f"Content-Type is {request.headers.get('content-type')}")
        if found and request.headers.get("parley-id") != found.get("id"):
            wrong.append("Parley-Id is not the object's id")
        if len(request.body) > contract.LARGEST:
            wrong.append(f"{len(request.body)} bytes")
        return wrong

    def answer(self, request: Request, finding: Finding, planned: dict[str, Any]) -> Answer:
        headers = {}
        for name, header in (("retry_after", "retry-after"), ("location", "location")):
            if name in planned:
                headers[header] = str(planned[name])
        return Answer(planned.get("status", 204), planned.get("reason", "").encode(), headers)

    def deliver(self, request: Request, finding: Finding) -> None:
        pass
