"""What the doubles' own tests have in common: they take what is right and refuse what is not, as clients find that
share no code with them, curl and pywebpush. A double that took everything would show nothing of who speaks to it."""

import base64
import contextlib
import json
import subprocess
import tempfile
import time
import unittest
import uuid
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from services import Services

CONVERSATION = "7f31a5c2-0000-8000-8000-000000000001"


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign(header: dict[str, Any], claims: dict[str, Any], key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> str:
    signed = ".".join(encode(json.dumps(part).encode()) for part in (header, claims))
    if isinstance(key, rsa.RSAPrivateKey):
        signature = key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    else:
        pair = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        signature = b"".join(number.to_bytes(32, "big") for number in pair)
    return f"{signed}.{encode(signature)}"


def notification(**changes: Any) -> dict[str, Any]:
    """An object of section 7 with which nothing is wrong."""
    message = {
        "id": str(uuid.uuid4()), "conversation_id": CONVERSATION, "epoch": "k3Jx9w", "seq": 42, "sender_id": "alice",
        "sender_device_id": "phone", "message_type": "text", "suite": "nacl-box", "encrypted_content": "AAAA",
        "nonce": "AAAA", "recipient_keys": None, "reply_to": None, "expires_at": None,
        "created_at": "2026-01-15T09:30:00.000Z",
    }  # fmt: skip
    later = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + 3600))
    return {
        "id": str(uuid.uuid4()), "type": "message", "user_id": "bob", "device_id": "phone", "actor_id": "alice",
        "conversation_id": CONVERSATION, "group_id": None, "epoch": "k3Jx9w", "seq": 42, "badge": 3, "is_read": False,
        "badge_at": "2026-01-15T09:30:00.000Z", "created_at": "2026-01-15T09:30:00.000Z", "expires_at": later,
        "message": message,
    } | changes  # fmt: skip


class Reply:
    """What curl got: `exit` is its own status, `status` 0 without an answer."""

    def __init__(self, done: "subprocess.CompletedProcess[str]") -> None:
        self.exit = done.returncode
        head, _, self.body = done.stdout.rpartition("\r\n\r\n")
        self.status, self.protocol, self.headers = 0, "", dict[str, str]()
        if head:
            first, *lines = head.split("\r\n\r\n")[-1].split("\r\n")
            self.protocol, status = first.split(" ")[:2]
            self.status = int(status)
            self.headers = {line.partition(":")[0].lower(): line.partition(":")[2].strip() for line in lines}

    @property
    def reason(self) -> str:
        return json.loads(self.body)["reason"]


class DoublesTestCase(unittest.TestCase):
    services: Services

    @classmethod
    def setUpClass(cls) -> None:
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        cls.services = stack.enter_context(Services(directory))
        cls.trust = cls.services.settings["push_trust_file"]

    def post(self, url: str, body: str | bytes, *options: str, **headers: str) -> Reply:
        fields = [option for name, value in headers.items() for option in ("-H", f"{name.replace('_', '-')}: {value}")]
        done = subprocess.run(
            ["curl", "-s", "-i", "--cacert", self.trust, "--max-time", "20", "--data-binary", "@-", *fields, *options,
             url],
            input=body.encode() if isinstance(body, str) else body, capture_output=True, timeout=60,
        )  # fmt: skip
        text = subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(errors="replace"), "")
        return Reply(text)

    def last(self) -> dict[str, Any]:
        return self.services.records()[-1]
