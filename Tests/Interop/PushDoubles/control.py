"""The port by which a test says what the services are to do, and reads what has come: HTTP with JSON both ways."""

import asyncio
import json
import urllib.parse
from collections.abc import Callable
from typing import Any

from apns import APNs
from authority import from_base64url
from connections import open_connections
from exchange import FAULTS, Plans
from fcm import FCM
from records import Records
from webhook import Webhook
from webpush import WebPush


class Control:
    def __init__(
        self, apns: APNs, fcm: FCM, webpush: WebPush, webhook: Webhook, plans: Plans, records: Records
    ) -> None:
        self._plans, self._records = plans, records
        self._webpush = webpush
        self.hook_urls: dict[str, str] = {}
        self._calls: dict[str, Callable[[dict[str, Any]], Any]] = {
            "/answers": self._plan,
            "/release": self._release,
            "/cut": self._cut,
            "/apns": lambda fields: {"token": apns.add_device(fields.get("topic", "app.parley"))},
            "/fcm": lambda _: {"token": fcm.add_device()},
            "/subscribe": self._subscribe,
            "/unsubscribe": lambda fields: webpush.remove(fields["id"]),
            "/waiting": lambda fields: webpush.take_waiting(fields["id"]),
            "/hook": lambda fields: self._hook(webhook.add(fields.get("secret"))),
        }

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request a connection."""
        try:
            method, target, _ = (await reader.readline()).decode().split(" ")
            length = 0
            while line := (await reader.readline()).strip():
                name, _, value = line.decode().partition(":")
                length = int(value) if name.lower() == "content-length" else length
            fields = json.loads(await reader.readexactly(length) or b"{}")
            status, reply = await self._call(method, target, fields)
        except (ValueError, KeyError, TypeError, asyncio.IncompleteReadError) as error:
            status, reply = 400, {"error": f"{type(error).__name__}: {error}"}
        body = json.dumps(reply).encode()
        head = f"HTTP/1.1 {status} Answer\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
        writer.write(head.encode() + b"connection: close\r\n\r\n" + body)
        try:
            await writer.drain()
        except ConnectionError:
            pass
        writer.close()

    async def _call(self, method: str, target: str, fields: dict[str, Any]) -> tuple[int, Any]:
        address = urllib.parse.urlsplit(target)
        if method == "GET" and address.path == "/records":
            query = dict(urllib.parse.parse_qsl(address.query))
            return 200, await self._records.after(int(query.get("after", 0)), float(query.get("wait", 0)))
        if method == "POST" and address.path in self._calls:
            return 200, self._calls[address.path](fields) or {}
        return 404, {"error": f"there are GET /records, and POST {', '.join(self._calls)}"}

    def _plan(self, fields: dict[str, Any]) -> None:
        answers, always = fields.get("answers", []), fields.get("always")
        for answer in [*answers, *([always] if always else [])]:
            if answer.get("fault", "hang") not in FAULTS:
                raise ValueError(f"no such fault: {answer['fault']}")
        self._plans.plan(fields["service"], fields.get("key", "*"), answers, always)

    @staticmethod
    def _release(_: dict[str, Any]) -> None:
        for connection in list(open_connections):
            connection.release()

    @staticmethod
    def _cut(_: dict[str, Any]) -> dict[str, int]:
        """Closes every connection, as a service does that is moved elsewhere."""
        cut = list(open_connections)
        for connection in cut:
            connection.abort()
        return {"connections": len(cut)}

    def _subscribe(self, fields: dict[str, Any]) -> dict[str, str]:
        key = fields.get("server_key")
        return self._webpush.subscribe(from_base64url(key) if key else None)

    def _hook(self, hook: dict[str, str]) -> dict[str, str]:
        return hook | {name: f"{origin}/hook/{hook['id']}" for name, origin in self.hook_urls.items()}
