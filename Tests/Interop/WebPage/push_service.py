"""A push service of RFC 8030 between the gateway and a browser, which keeps what it is brought.

Firefox connects to it by Mozilla's push protocol, and opens what is sealed for it by RFC 8291 itself. Chromium has no
service that could be exchanged: the test holds the subscription's key, and gives the worker what it has opened.
"""

import base64
import contextlib
import http.server
import json
import os
import queue
import struct
import threading
import uuid
from typing import Any

from bidi import LIMIT
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from websockets.sync.server import ServerConnection, serve


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def derived(length: int, salt: bytes, info: bytes, secret: bytes) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def cipher(auth: bytes, browser: bytes, server: bytes, shared: bytes, salt: bytes) -> tuple[AESGCM, bytes]:
    """RFC 8291, section 3.4: the content's cipher, and its nonce."""
    secret = derived(32, auth, b"WebPush: info\0" + browser + server, shared)
    content = derived(16, salt, b"Content-Encoding: aes128gcm\0", secret)
    return AESGCM(content), derived(12, salt, b"Content-Encoding: nonce\0", secret)


class Subscription:
    """The test's own, in the place of a browser's."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._auth = os.urandom(16)
        self.fields = {"p256dh": encoded(point(self._key.public_key())), "auth": encoded(self._auth)}

    def opened(self, body: bytes) -> str:
        salt, size, server = body[:16], body[20], body[21 : 21 + body[20]]
        shared = self._key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), server))
        aead, nonce = cipher(self._auth, point(self._key.public_key()), server, shared, salt)
        return aead.decrypt(nonce, body[21 + size :], None).rstrip(b"\0")[:-1].decode()


def sealed(text: str, p256dh: str, auth: str) -> bytes:
    """As a gateway would seal it for a browser."""
    key, salt, browser = ec.generate_private_key(ec.SECP256R1()), os.urandom(16), decoded(p256dh)
    server = point(key.public_key())
    shared = key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), browser))
    aead, nonce = cipher(decoded(auth), browser, server, shared, salt)
    return salt + struct.pack(">IB", 4096, len(server)) + server + aead.encrypt(nonce, text.encode() + b"\2", None)


class PushService:
    """Use it as a context manager."""

    def __init__(self) -> None:
        self.brought: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        # Whether a browser gets what the gateway brings.
        self.is_forwarding = True
        self._browser: tuple[ServerConnection, str] | None = None
        service = self

        class Endpoint(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                self.send_response(201)
                self.send_header("content-length", "0")
                self.end_headers()
                service.brought.put(body)
                if service.is_forwarding:
                    service.push(body)

            def log_message(self, *_: object) -> None:
                pass

        self._endpoint = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
        self._endpoint.daemon_threads = True
        self._socket = serve(self._talk, "127.0.0.1", 0)
        self.endpoint = f"http://127.0.0.1:{self._endpoint.server_port}/push"
        port = self._socket.socket.getsockname()[1]
        self.preferences = {
            "dom.push.serverURL": f"ws://127.0.0.1:{port}/", "dom.push.testing.allowInsecureServerURL": True,
            "dom.push.testing.ignorePermission": True, "dom.push.connection.enabled": True, "dom.push.enabled": True,
            "permissions.default.desktop-notification": 1, "dom.push.maxQuotaPerSubscription": 1000,
            # Without a desktop there is nobody else to show them.
            "alerts.useSystemBackend": False,
        }  # fmt: skip

    def __enter__(self) -> "PushService":
        for server in (self._endpoint, self._socket):
            threading.Thread(target=server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown()
        self._endpoint.shutdown()
        self._endpoint.server_close()

    def wait(self) -> bytes:
        """What the gateway brings next."""
        return self.brought.get(timeout=LIMIT)

    def push(self, body: bytes) -> None:
        """To Firefox, as it came; nowhere if there is none."""
        if self._browser is None:
            return
        browser, channel = self._browser
        browser.send(json.dumps({
            "messageType": "notification", "channelID": channel, "version": uuid.uuid4().hex, "data": encoded(body),
            "headers": {"encoding": "aes128gcm"},
        }))  # fmt: skip

    def _talk(self, browser: ServerConnection) -> None:
        with contextlib.suppress(Exception):
            for text in browser:
                if answer := self._answer(json.loads(text), browser):
                    browser.send(json.dumps(answer))

    def _answer(self, said: dict[str, Any], browser: ServerConnection) -> dict[str, Any] | None:
        match said.get("messageType"):
            case "hello":
                name = said.get("uaid") or uuid.uuid4().hex
                return {"messageType": "hello", "status": 200, "uaid": name, "use_webpush": True, "broadcasts": {}}
            case "register":
                self._browser = (browser, said["channelID"])
                fields = {"channelID": said["channelID"], "pushEndpoint": self.endpoint}
                return {"messageType": "register", "status": 200, **fields}
            case "unregister":
                self._browser = None
                return {"messageType": "unregister", "status": 200, "channelID": said["channelID"]}
            case _:
                return None
