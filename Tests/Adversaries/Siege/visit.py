"""One connection of one device, which repeats nothing and knows which end of it is expected."""

import json
import time
import uuid
from typing import TYPE_CHECKING

import mqtt
from client import Client
from people import sealed
from population import Person

if TYPE_CHECKING:
    from churn import Churn


class Visit(Client):
    """One connection of one device."""

    def __init__(self, churn: "Churn", person: Person, *, clean: bool) -> None:
        self.churn, self.person, self.clean = churn, person, clean
        self.began = time.monotonic()
        self.is_ready = False
        # Whether its end is expected: it was left, or taken over.
        self.is_over = False
        self._under_way: dict[int, str] = {}
        self._content = sealed(120)
        endpoint = churn.gateway.websocket if person.websocket else churn.gateway.tcp
        super().__init__(
            endpoint, churn.selector, person.connect_packet(clean=clean), version=person.version,
            websocket=person.websocket,
        )  # fmt: skip

    def speak(self) -> str:
        """Sends one message to the conversation; its id."""
        message = str(uuid.uuid4())
        fields = {
            "id": message, "conversation_id": self.person.conversation, "message_type": "text", "reply": "event",
            **self._content,
        }  # fmt: skip
        number = self.publish(self.person.credentials.up("messages/send"), json.dumps(fields).encode())
        self._under_way[number] = message
        self.churn.spoken(self.person.conversation, message)
        return message

    def depart(self, *, disconnects: bool) -> None:
        self.is_over = True
        if self.clean:
            self.person.has_session = False
        self.leave(disconnects=disconnects)

    def admitted(self, session_present: bool) -> None:
        self.churn.sign_ins.append(time.monotonic() - self.began)
        self.churn.counts["admitted"] += 1
        if session_present and self.person.has_session:
            self.is_ready = True
        else:
            if self.person.has_session and not self.clean:
                self.churn.fail("a session that was kept is gone", self.person)
            self.subscribe(self.person.filters)

    def refused(self, code: int) -> None:
        self.is_over = True
        self.churn.fail(f"CONNACK {code:#x}", self.person)
        self.close()

    def subscribed(self, codes: bytes) -> None:
        if max(codes) >= 0x80:
            self.churn.fail(f"SUBACK {codes.hex()}", self.person)
        self.is_ready = True
        self.person.has_session = not self.clean

    def acknowledged(self, packet_id: int, code: int) -> None:
        message = self._under_way.pop(packet_id, None)
        if code >= 0x80:
            self.churn.fail(f"PUBACK {code:#x}", self.person)
        elif message and self.version == 5:
            # Of MQTT 3.1.1 an acknowledgement says nothing; there the echo does.
            self.churn.acknowledge(self.person.conversation, message)

    def heard(self, message: mqtt.Message) -> None:
        content = json.loads(message.payload)
        if content.get("ok") is False:
            self.churn.fail(f"{message.topic.rsplit('/', 3)[-3:-1]}: {content['error']['code']}", self.person)
        elif content.get("type") == "message.new":
            identifier = content["data"]["id"]
            self.churn.counts["deliveries"] += 1
            self.person.heard.add(identifier)
            self.churn.acknowledge(self.person.conversation, identifier)

    def ended(self, why: str) -> None:
        if not self.is_open:
            return
        if not self.is_admitted:
            self.churn.fail(f"closed without CONNACK ({why})", self.person)
        elif not self.is_over:
            self.churn.fail(f"put out ({why})", self.person)
        self.is_over = True
        self.close()
