"""A device's connection (protocol, sections 1 to 4), on paho-mqtt: MQTT 5, requests and their replies, events."""

import itertools
import json
import os
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from identities import Address

PREFIX = "parley/v1/"
# In seconds. Nothing is decided by how long it takes, short of this.
LIMIT = 120
# In seconds, after which a request that has no reply is repeated.
REPEAT_AFTER = 10

Record = dict[str, Any]


def eventually(what: str, condition: Callable[[], Any]) -> Any:
    """Waits for a condition that nothing tells of, by asking again and again."""
    end = time.monotonic() + LIMIT
    while not (result := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"waited in vain for {what}")
        time.sleep(0.1)
    return result


class Refused(Exception):
    """The gateway's refusal of a request."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["code"], error["message"])
        self.code: str = error["code"]
        self.error = error


class Device:
    """A further connection of a device, `uid:did:x`, with clean start. Use it as a context manager."""

    _names: set[str] = set()

    def __init__(
        self, data: Path, address: Address, *, stored_session: bool = False,
        sink: Callable[[mqtt.MQTTMessage], None] | None = None,
    ) -> None:  # fmt: skip
        """`stored_session` makes it the device's main connection, `uid:did`, whose session outlives it by an hour.
        What is no reply goes to `sink` as it came, or else to `events`."""
        self.address = address
        endpoint = json.loads((data / "endpoint.json").read_text())
        credentials = json.loads((data / "devices" / address.user / address.device / "credentials.json").read_text())
        self._name = "" if stored_session else self._free_name(credentials["client_id"])
        self._mqtt = mqtt.Client(
            mqtt.CallbackAPIVersion.VERSION2, self._name or credentials["client_id"], protocol=mqtt.MQTTv5
        )
        self._mqtt.username_pw_set(credentials["username"], credentials["password"])
        self._mqtt.max_inflight_messages_set(1000)
        self._mqtt.on_connect, self._mqtt.on_subscribe = self._connected, self._subscribed
        self._mqtt.on_message = self._received
        # Or else a reply's PUBACK waits for the broker's delayed acknowledgement, 44 ms.
        self._mqtt.on_socket_open = lambda _, __, opened: opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._endpoint = endpoint["host"], endpoint["mqtt_port"]
        self._stored_session = stored_session
        self._down = f"{PREFIX}down/{address.user}/{address.device}/py{os.urandom(4).hex()}"
        self._numbers = itertools.count(1)
        self._changed = threading.Condition()
        self._verdict: str | None = None
        self._waiting: dict[bytes, Future[dict[str, Any]]] = {}
        self._subscriptions: dict[int, list[Any]] = {}
        self._sink = sink
        self.events: list[tuple[str, dict[str, Any]]] = []

    def __enter__(self) -> "Device":
        properties = Properties(PacketTypes.CONNECT)
        if self._stored_session:
            properties.SessionExpiryInterval = 3600
        self._mqtt.connect(*self._endpoint, clean_start=not self._stored_session, properties=properties)
        self._mqtt.loop_start()
        self._until(lambda: self._verdict, "the broker's CONNACK")
        if self._verdict != "Success":
            raise ConnectionRefusedError(self._verdict)
        if not self._stored_session:
            self.subscribe(self._down + "/#")
        return self

    def __exit__(self, *_: object) -> None:
        self._mqtt.disconnect()
        self._mqtt.loop_stop()
        Device._names.discard(self._name)

    @staticmethod
    def _free_name(client_id: str) -> str:
        """A device has eight names a day, so the first is taken that no other connection of this process has."""
        name = next(name for number in itertools.count() if (name := f"{client_id}:py{number}") not in Device._names)
        Device._names.add(name)
        return name

    # What a device says

    def subscribe(self, topic_filter: str) -> None:
        """Returns when the broker has granted it; a refusal is an error."""
        with self._changed:
            _, identifier = self._mqtt.subscribe(topic_filter, options=SubscribeOptions(qos=1))
        self._until(lambda: identifier in self._subscriptions, f"SUBACK for {topic_filter}")
        codes = self._subscriptions.pop(identifier)
        if any(code.is_failure for code in codes):
            raise PermissionError(f"{topic_filter}: {codes}")

    def ask(self, operation: str, fields: dict[str, Any] | None = None) -> "Future[dict[str, Any]]":
        """Sends a request once. The future holds the reply's `data`, or `Refused`."""
        return self._ask(operation, json.dumps(fields or {}).encode(), str(next(self._numbers)).encode())

    def request(self, operation: str, fields: dict[str, Any] | None = None) -> dict[str, Any]:
        """Sends a request, repeats it while there is no reply, and returns the reply's `data`."""
        payload, correlation = json.dumps(fields or {}).encode(), str(next(self._numbers)).encode()
        for _ in range(LIMIT // REPEAT_AFTER):
            reply = self._ask(operation, payload, correlation)
            try:
                return reply.result(REPEAT_AFTER)
            except TimeoutError:
                continue
        raise TimeoutError(f"no reply to {operation}")

    def _ask(self, operation: str, payload: bytes, correlation: bytes) -> "Future[dict[str, Any]]":
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic = f"{self._down}/{operation}"
        properties.CorrelationData = correlation
        with self._changed:
            reply = self._waiting.setdefault(correlation, Future())
        topic = f"{PREFIX}up/{self.address.user}/{self.address.device}/{operation}"
        self._mqtt.publish(topic, payload, qos=1, properties=properties)
        return reply

    # What a device hears

    def event(self, what: str, matches: Callable[[str, dict[str, Any]], bool]) -> dict[str, Any]:
        """Waits for the first event of which `matches(type, data)` holds, also among those that have come."""
        return self._until(lambda: next((data for kind, data in self.events if matches(kind, data)), None), what)

    def record(self, message_id: str) -> Record:
        """Waits for a message, or a change to one, by its own id."""
        kinds = "message.new", "message.edited", "message.deleted", "message.reaction"
        return self.event(f"record {message_id}", lambda kind, data: kind in kinds and data["id"] == message_id)

    def _until(self, condition: Callable[[], Any], what: str) -> Any:
        with self._changed:
            if not self._changed.wait_for(condition, LIMIT):
                raise TimeoutError(f"{self.address.user}/{self.address.device} waited in vain for {what}")
            return condition()

    def _connected(self, _client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        with self._changed:
            self._verdict = str(reason)
            self._changed.notify_all()

    def _subscribed(self, _client: Any, _data: Any, identifier: int, codes: list[Any], _properties: Any) -> None:
        with self._changed:
            self._subscriptions[identifier] = codes
            self._changed.notify_all()

    def _received(self, _client: Any, _data: Any, message: mqtt.MQTTMessage) -> None:
        is_reply = message.topic.startswith(self._down)
        if self._sink and not is_reply:
            return self._sink(message)
        payload = json.loads(message.payload)
        with self._changed:
            if is_reply:
                reply = self._waiting.pop(message.properties.CorrelationData, None)
                if reply is None:
                    return  # of a repeat
                if payload["ok"]:
                    reply.set_result(payload["data"])
                else:
                    reply.set_exception(Refused(payload["error"]))
            else:
                self.events.append((payload["type"], payload["data"]))
            self._changed.notify_all()
