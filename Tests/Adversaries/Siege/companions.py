"""Ten people who do everything there is besides talking: receipts, typing, reactions, lists, workouts; and reconnect."""

import datetime
import itertools
import json
import random
import time
import uuid
from collections import Counter

import mqtt
from client import Client
from device import Device
from gateway import Gateway
from honest import Crowd
from people import ATTACKERS, VICTIM, Town, direct_id, sealed

# In an honest hour those whom a siege calls attackers are people like others.
COMPANIONS = ATTACKERS
# Away all the time, with a webhook.
SLEEPER = VICTIM
TRAINING = "0000000f-0000-4000-8000-000000000001"
# In seconds.
SHORTEST_VISIT, LONGEST_VISIT = 20, 40
# Workouts and items of activity of one user: a day takes 100 and an hour 60.
WORKOUT_INTERVAL, ACTIVITY_INTERVAL = 900, 120
ZONE = "Europe/Berlin"


def arrange(gateway: Gateway, town: Town, hook_url: str) -> None:
    """A group that trains together, a conversation of each with the sleeper, and the sleeper's webhook."""
    with Device(gateway.local, town.device(COMPANIONS[0]), "arrange") as device:
        device.request("groups/create", {"id": TRAINING, "name": "soak", "time_zone": ZONE})
        invite = device.request("invites/create", {"id": str(uuid.uuid4()), "group_id": TRAINING})
    for user in COMPANIONS:
        with Device(gateway.local, town.device(user), "arrange") as device:
            if user != COMPANIONS[0]:
                device.request("invites/accept", {"token": invite["token"]})
            device.request("conversations/create", {"type": "direct", "participant_ids": [SLEEPER]})
    with Device(gateway.local, town.device(SLEEPER), "arrange") as device:
        hook = {"provider": "webhook", "endpoint": f"{hook_url}/soak", "secret": "soak-soak-soak-soak"}
        device.request("push/register", hook)


class Companion(Client):
    """One of them, for as long as they stay connected."""

    def __init__(self, companions: "Companions", user: str, *, is_kept: bool) -> None:
        self.companions, self.user = companions, user
        self.credentials = companions.crowd.town.device(user)
        self.is_ready = self.is_over = False
        self.stays_until = time.monotonic() + random.uniform(SHORTEST_VISIT, LONGEST_VISIT)
        self._group = companions.crowd.town.attackers_group
        self._latest = ""
        connect = self.credentials.connect_packet(clean=not is_kept, session_expiry=86_400 if is_kept else 0)
        super().__init__(companions.crowd.endpoint, companions.crowd.selector, connect)

    def admitted(self, session_present: bool) -> None:
        self.subscribe(
            [
                f"{mqtt.PREFIX}conversations/{self._group}/{kind}" for kind in ("messages", "receipts", "typing")
            ] + [f"{mqtt.PREFIX}users/{self.user}/events", f"{self.credentials.down}/soak"]
        )  # fmt: skip

    def subscribed(self, codes: bytes) -> None:
        self.is_ready = True
        if max(codes) >= 0x80:
            self.companions.crowd.ledger.refuse(f"SUBACK {codes.hex()}")

    def refused(self, code: int) -> None:
        self.companions.crowd.ledger.refuse(f"CONNACK {code:#x}")

    def acknowledged(self, packet_id: int, code: int) -> None:
        if code >= 0x80:
            self.companions.crowd.ledger.refuse(f"PUBACK {code:#x}")

    def heard(self, message: mqtt.Message) -> None:
        content = json.loads(message.payload)
        if content.get("type") == "message.new":
            self._latest = content["data"]["id"]
        elif content.get("ok"):
            self.companions.counts["replies"] += 1
        elif content.get("ok") is False:
            self.companions.crowd.ledger.refuse(content["error"]["code"])

    def ended(self, why: str) -> None:
        if self.is_open and not self.is_over:
            self.companions.crowd.ledger.disconnected[self.user] += 1
        self.close()

    def act(self) -> None:
        """One request, another kind each time."""
        operation, fields = self.companions.next_request(self.user, self._group, self._latest)
        self.companions.counts[operation] += 1
        self.publish(
            self.credentials.up(operation), json.dumps(fields).encode(), response_topic=f"{self.credentials.down}/soak"
        )


class Companions:
    """Keeps all of them connected and busy. `step` is to be called some ten times a second."""

    def __init__(self, crowd: Crowd) -> None:
        self.crowd = crowd
        self.counts: Counter[str] = Counter()
        self._content = sealed(200)
        self._versions = itertools.count(1)
        self._turns = itertools.cycle(COMPANIONS)
        self._kinds = {user: itertools.cycle(range(8)) for user in COMPANIONS}
        self._due: dict[tuple[str, str], float] = {}
        self._present = {user: Companion(self, user, is_kept=False) for user in COMPANIONS}

    def step(self) -> None:
        user = next(self._turns)
        companion = self._present[user]
        if companion.is_open and companion.is_ready and time.monotonic() < companion.stays_until:
            companion.act()
        elif not companion.is_open or time.monotonic() >= companion.stays_until:
            companion.is_over = True
            companion.leave(disconnects=random.random() < 0.5)
            self.counts["reconnects"] += 1
            self._present[user] = Companion(self, user, is_kept=random.random() < 0.5)

    def close(self) -> None:
        for companion in self._present.values():
            companion.leave()

    def _is_due(self, user: str, what: str, interval: float) -> bool:
        now = time.monotonic()
        if now < self._due.get((user, what), 0):
            return False
        self._due[user, what] = now + interval
        return True

    def next_request(self, user: str, group: str, latest: str) -> tuple[str, dict]:
        """What comes next; `latest` is the newest message heard in the group."""
        now = datetime.datetime.now(datetime.UTC)
        if self._is_due(user, "workout", WORKOUT_INTERVAL):
            completed = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            return "workouts/log", {"id": str(uuid.uuid4()), "completed_at": completed, "time_zone": ZONE}
        if self._is_due(user, "activity", ACTIVITY_INTERVAL):
            return "activity/post", {"id": str(uuid.uuid4()), "type": "goal_reached", "title": "soak"}
        kind = next(self._kinds[user])
        about_latest = {"conversation_id": group, "message_id": latest}
        if kind == 0 or (kind in (1, 2) and not latest):
            return "messages/send", self._message(group)
        if kind == 1:
            return "receipts/read", about_latest
        if kind == 2:
            return "messages/react", {"id": str(uuid.uuid4()), **about_latest, **self._content}
        if kind == 3:
            return "typing/start", {"conversation_id": group}
        if kind == 4:
            return "messages/send", self._message(direct_id(user, SLEEPER))
        if kind == 5:
            date = now.date().isoformat()
            return "metrics/report", {"date": date, "time_zone": "UTC", "steps": 1000, "version": next(self._versions)}
        if kind == 6:
            return "history/get", {"conversation_id": group, "limit": 20}
        return random.choice(
            [
                ("conversations/list", {}), ("sync/get", {"cursors": {}, "limit": 20}), ("notifications/list", {}),
                ("leaderboards/get", {"group_id": TRAINING, "type": "check-ins"}), ("challenges/list", {}),
            ]
        )  # fmt: skip

    def _message(self, conversation: str) -> dict:
        return {"id": str(uuid.uuid4()), "conversation_id": conversation, "message_type": "text", **self._content}
