"""What a browser is connected to: Mozilla's push protocol over a WebSocket, as Firefox speaks it."""

import asyncio
import json
import secrets
import uuid
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve

from authority import base64url, from_base64url
from webpush import Message, Subscription, WebPush


class Autopush:
    """Registers channels as subscriptions, and forwards what is pushed to them, sealed as it came."""

    def __init__(self, webpush: WebPush) -> None:
        self._webpush = webpush
        self._server: Server | None = None

    async def start(self) -> int:
        self._server = await serve(self._talk, "127.0.0.1", 0, subprotocols=None)
        return next(iter(self._server.sockets)).getsockname()[1]

    async def _talk(self, browser: ServerConnection) -> None:
        channels: dict[str, Subscription] = {}
        try:
            async for text in browser:
                said = json.loads(text)
                if (reply := self._reply(said, channels, browser)) is not None:
                    await browser.send(json.dumps(reply))
        finally:
            for subscription in channels.values():
                subscription.push = None

    def _reply(
        self, said: dict[str, Any], channels: dict[str, Subscription], browser: ServerConnection
    ) -> dict[str, Any] | None:
        match said.get("messageType"):
            case "hello":
                return {
                    "messageType": "hello", "status": 200, "uaid": said.get("uaid") or uuid.uuid4().hex,
                    "use_webpush": True, "broadcasts": {},
                }  # fmt: skip
            case "register":
                channel = said["channelID"]
                key = from_base64url(said["key"].rstrip("=")) if said.get("key") else None
                subscription = self._webpush.add(Subscription(secrets.token_urlsafe(24), None, b"", key))
                subscription.push = lambda message: self._forward(browser, channel, message)
                channels[channel] = subscription
                endpoint = self._webpush.endpoint(subscription)
                return {"messageType": "register", "status": 200, "channelID": channel, "pushEndpoint": endpoint}
            case "unregister":
                if gone := channels.pop(said["channelID"], None):
                    self._webpush.remove(gone.id)
                return {"messageType": "unregister", "status": 200, "channelID": said["channelID"]}
            case "ping" | None:
                return {}
            case _:  # ack, nack, broadcast_subscribe
                return None

    @staticmethod
    def _forward(browser: ServerConnection, channel: str, message: Message) -> None:
        notification = {
            "messageType": "notification", "channelID": channel, "version": message.id, "data": base64url(message.body),
            "headers": {"encoding": "aes128gcm"},
        }  # fmt: skip
        task = asyncio.ensure_future(browser.send(json.dumps(notification)))
        # It ends with the connection; a browser that has gone gets nothing.
        task.add_done_callback(lambda task: task.cancelled() or task.exception())
