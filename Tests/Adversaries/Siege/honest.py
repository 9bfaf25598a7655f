"""Twenty users who talk as people do, five messages a second each, and watch the clock.

One thread and one monotonic clock: from the moment that a request is written to that in which its event has been read.
"""

import gc
import heapq
import itertools
import json
import random
import selectors
import time
import uuid
from collections import deque
from collections.abc import Callable

import mqtt
from connection import Connection
from device import Endpoint
from ledger import Ledger, Phase
from people import HONEST, Town, sealed

MESSAGES_PER_SECOND = 5
# Of the messages of one user, so many go to a group.
GROUP_SHARE = 0.2
# In seconds.
ARRIVAL_INTERVAL = 0.5
ARRIVAL_LIMIT = 10
PING_INTERVAL = 20


class Citizen(Connection):
    """One honest user's main connection."""

    def __init__(self, crowd: "Crowd", user: str) -> None:
        super().__init__(crowd.endpoint, crowd.selector)
        self.crowd, self.user = crowd, user
        self.credentials = crowd.town.device(user)
        conversations = crowd.town.conversations_of(user)
        self.direct = [cid for cid in conversations if len(crowd.town.conversations[cid]) == 2]
        self.groups = [cid for cid in conversations if len(crowd.town.conversations[cid]) > 2]
        self._numbers = itertools.count()
        self.is_ready = False
        self.send(self.credentials.connect_packet())
        filters = [f"{mqtt.PREFIX}conversations/{cid}/messages" for cid in conversations]
        filters += [f"{mqtt.PREFIX}users/{user}/events", f"{self.credentials.down}/siege"]
        self.send(mqtt.subscribe(filters, packet_id=65535))

    def speak(self, phase: Phase) -> None:
        is_for_group = self.groups and random.random() < GROUP_SHARE
        conversation = random.choice(self.groups if is_for_group else self.direct)
        message = str(uuid.uuid4())
        payload = json.dumps(
            {"id": message, "conversation_id": conversation, "message_type": "text", "reply": "event",
             **self.crowd.content}
        ).encode()  # fmt: skip
        packet = mqtt.publish(
            self.credentials.up("messages/send"), payload, packet_id=next(self._numbers) % 60_000 + 1,
            response_topic=f"{self.credentials.down}/siege", correlation=message.encode(),
        )  # fmt: skip
        honest = [member for member in self.crowd.town.conversations[conversation] if member in self.crowd.members]
        self.crowd.ledger.sent(message, honest, phase, time.monotonic())
        self.send(packet)

    def ended(self, why: str) -> None:
        self.crowd.ledger.disconnected[self.user] += 1
        self.close()

    def take(self, data: bytes) -> None:
        now = time.monotonic()
        for header, body in self.reader.feed(data):
            kind = header >> 4
            if kind == mqtt.PUBLISH:
                self._hear(mqtt.Message(header, body), now)
            elif kind == mqtt.SUBACK:
                self.is_ready = max(body[-4:]) < 0x80
            elif kind == mqtt.PUBACK and len(body) > 2 and body[2] >= 0x80:
                self.crowd.ledger.refuse(f"PUBACK {body[2]:#x}")
            elif kind == mqtt.CONNACK and body[1]:
                self.crowd.ledger.refuse(f"CONNACK {body[1]:#x}")

    def _hear(self, message: mqtt.Message, now: float) -> None:
        if message.packet_id:
            self.send(mqtt.puback(message.packet_id))
        content = json.loads(message.payload)
        if content.get("type") == "message.new":
            self.crowd.ledger.delivered(content["data"]["id"], self.user, now)
        elif content.get("ok") is False:
            self.crowd.ledger.refuse(content["error"]["code"])


class Arrival(Connection):
    """A further device's connection that signs in, asks for a page of history, and goes: nobody is shut out."""

    def __init__(self, crowd: "Crowd", user: str, phase: Phase) -> None:
        self.began = time.monotonic()
        super().__init__(crowd.endpoint, crowd.selector)
        self.crowd, self.phase = crowd, phase
        self._credentials = crowd.town.device(user)
        self._conversation = crowd.town.conversations_of(user)[0]
        self.send(self._credentials.connect_packet("arrival"))
        self.send(mqtt.subscribe([f"{self._credentials.down}/arrival"]))

    def ended(self, why: str) -> None:
        self.fail(why)

    def take(self, data: bytes) -> None:
        for header, body in self.reader.feed(data):
            kind = header >> 4
            if kind == mqtt.CONNACK and body[1]:
                self.fail(f"CONNACK {body[1]:#x}")
            elif kind == mqtt.SUBACK:
                page = json.dumps({"conversation_id": self._conversation, "limit": 10}).encode()
                self.send(
                    mqtt.publish(
                        self._credentials.up("history/get"), page, packet_id=2,
                        response_topic=f"{self._credentials.down}/arrival",
                    )
                )  # fmt: skip
            elif kind == mqtt.PUBLISH:
                reply = json.loads(mqtt.Message(header, body).payload)
                if not reply["ok"]:
                    self.fail(reply["error"]["code"])
                    return
                self.phase.arrivals.append(time.monotonic() - self.began)
                self.send(mqtt.DISCONNECTING)
                self.close()
                return

    def fail(self, why: str) -> None:
        if self.is_open:
            self.phase.turned_away += 1
            self.crowd.ledger.refuse(f"arrival: {why}")
            self.close()


class Crowd:
    """All honest users."""

    def __init__(self, endpoint: Endpoint, town: Town) -> None:
        self.endpoint, self.town = endpoint, town
        self.members = set(HONEST)
        self.ledger = Ledger()
        self.selector = selectors.DefaultSelector()
        self.content = sealed(200)
        self._arrivals: deque[Arrival] = deque()
        self._citizens = [Citizen(self, user) for user in HONEST]
        for _ in range(3):
            self._pump_until(lambda: all(citizen.is_ready or not citizen.is_open for citizen in self._citizens), 30)
            # Closed without a verdict means: try again (protocol, section 2).
            self._citizens = [each if each.is_open else Citizen(self, each.user) for each in self._citizens]
        self.ledger.disconnected.clear()
        if not all(citizen.is_ready for citizen in self._citizens):
            raise ConnectionError(f"the honest could not sign in: {dict(self.ledger.refused)}")
        # A collection in the middle of a delivery would be taken for the gateway's delay.
        gc.collect()
        gc.freeze()
        gc.disable()

    def close(self) -> None:
        for connection in [*self._citizens, *self._arrivals]:
            connection.close()
        self.selector.close()
        gc.enable()

    def talk(
        self, phase: Phase, seconds: float, each: Callable[[], None] = lambda: None, *,
        rate: float = MESSAGES_PER_SECOND,
    ) -> None:  # fmt: skip
        """Everybody sends `rate` messages a second, for so long. `each` is called ten times a second."""
        start = time.monotonic()
        end = start + seconds
        interval = 1 / rate
        agenda: list[tuple[float, int, Callable[[], None], float]] = []
        numbers = itertools.count()

        def plan(at: float, act: Callable[[], None], again: float) -> None:
            heapq.heappush(agenda, (at, next(numbers), act, again))

        for citizen in self._citizens:
            plan(start + random.random() * interval, lambda citizen=citizen: self._speak(citizen, phase), interval)
            plan(start + random.random() * PING_INTERVAL, lambda citizen=citizen: citizen.send(mqtt.PINGREQ), PING_INTERVAL)
        plan(start, each, 0.1)
        plan(start + random.random() * ARRIVAL_INTERVAL, lambda: self._arrive(phase), ARRIVAL_INTERVAL)
        while True:
            now = time.monotonic()
            if now >= end:
                return
            while agenda and agenda[0][0] <= now:
                at, _, act, again = heapq.heappop(agenda)
                act()
                plan(at + again, act, again)
            self._pump(min(agenda[0][0], end) - time.monotonic())

    def settle(self, limit: float) -> bool:
        """Waits until everything that was sent has come, or for so many seconds; whether it has."""
        self._pump_until(lambda: self.ledger.is_settled and not self._arrivals, limit)
        return self.ledger.is_settled

    def _speak(self, citizen: Citizen, phase: Phase) -> None:
        if citizen.is_open:
            citizen.speak(phase)

    def _arrive(self, phase: Phase) -> None:
        while self._arrivals and not self._arrivals[0].is_open:
            self._arrivals.popleft()
        for arrival in self._arrivals:
            if time.monotonic() - arrival.began > ARRIVAL_LIMIT:
                arrival.fail("no answer")
        try:
            self._arrivals.append(Arrival(self, random.choice(HONEST), phase))
        except OSError as error:
            phase.turned_away += 1
            self.ledger.refuse(f"arrival: {error}")

    def _pump_until(self, condition: Callable[[], bool], limit: float) -> None:
        end = time.monotonic() + limit
        while not condition() and time.monotonic() < end:
            self._pump(0.05)
            while self._arrivals and not self._arrivals[0].is_open:
                self._arrivals.popleft()

    def _pump(self, patience: float) -> None:
        for key, events in self.selector.select(max(0, patience)):
            if key.data.is_open:
                key.data.ready(events)
