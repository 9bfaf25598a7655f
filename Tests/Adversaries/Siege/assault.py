"""What every attack is made of: connections that write as fast as the broker takes it, and come back when thrown out."""

import heapq
import itertools
import json
import os
import selectors
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import mqtt
from connection import Connection
from device import Endpoint
from websocket import frame, upgrade_request

# The honest come from 127.0.0.1; what the door does to an address is not to be done to theirs.
ATTACKERS_ADDRESS = "127.0.0.66"
# The state of a connection that stands, as TCP_INFO says it.
ESTABLISHED = b"\x01"
# In seconds: who was thrown out comes back after so long.
COMES_BACK_AFTER = 0.02


@dataclass
class Volley:
    """Packets that are written together."""

    data: bytes
    packets: int

    @staticmethod
    def of(packet: bytes, size: int = 1 << 16) -> "Volley":
        """A packet again and again, to at least so many bytes."""
        count = max(1, size // len(packet))
        return Volley(packet * count, count)


Ammunition = Callable[[], Iterator[Volley]]


def endless(*volleys: Volley) -> Ammunition:
    return lambda: itertools.cycle(volleys)


def nothing() -> Iterator[Volley]:
    return iter(())


@dataclass
class Slot:
    """One connection that is kept up."""

    endpoint: Endpoint
    # CONNECT; nothing for who never signs in.
    connect: bytes
    # Written once after CONNACK, or at once without a CONNECT.
    opening: bytes = b""
    ammunition: Ammunition = nothing
    # Volleys a second; 0 is as fast as it goes.
    rate: float = 0
    reads: bool = True
    receive_buffer: int = 0
    websocket: bool = False
    source: str = ""
    # Whether the connection ends with the first answer, and the next one is opened.
    leaves: bool = False
    # Whether who is thrown out comes back.
    returns: bool = True


class Assault:
    """Runs slots side by side, and counts what they do."""

    def __init__(self, seconds: float) -> None:
        self.selector = selectors.DefaultSelector()
        self.counts: Counter[str] = Counter()
        self.seconds = seconds
        self._agenda: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        # Packets that all slots together may still write.
        self.budget = float("inf")

    def at(self, moment: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._agenda, (moment, next(self._numbers), act))

    def open(self, slot: Slot) -> None:
        try:
            Attacker(self, slot)
            self.counts["connections"] += 1
        except OSError as error:
            self.counts[f"connect: {error.strerror}"] += 1
            self.again(slot)

    def again(self, slot: Slot) -> None:
        self.at(time.monotonic() + COMES_BACK_AFTER, lambda: self.open(slot))

    def repeat(self, slots: Iterator[Slot], per_second: float) -> None:
        """Opens so many connections a second, however many are still under way."""
        start, interval = time.monotonic(), 1 / per_second

        def next_one(number: int) -> None:
            self.open(next(slots))
            self.at(start + (number + 1) * interval, lambda: next_one(number + 1))

        self.at(start, lambda: next_one(0))

    def run(self) -> None:
        end = time.monotonic() + self.seconds
        while (now := time.monotonic()) < end and self.budget > 0:
            while self._agenda and self._agenda[0][0] <= now:
                heapq.heappop(self._agenda)[2]()
            until = min(self._agenda[0][0], end) if self._agenda else end
            if not self.selector.get_map():
                time.sleep(max(0, min(until - time.monotonic(), 0.01)))
                continue
            for key, events in self.selector.select(max(0, until - time.monotonic())):
                if key.data.is_open:
                    key.data.ready(events)
        for key in list(self.selector.get_map().values()):
            key.data.close()


class Attacker(Connection):
    """One connection of an assault."""

    def __init__(self, assault: Assault, slot: Slot) -> None:
        self._assault, self._slot = assault, slot
        self._volleys: Iterator[Volley] = iter(())
        self._is_upgraded = not slot.websocket
        # Whether there is something to write whenever the socket takes it.
        self._has_more = False
        super().__init__(
            slot.endpoint, assault.selector, source=slot.source or ATTACKERS_ADDRESS,
            receive_buffer=slot.receive_buffer,
        )  # fmt: skip
        if slot.websocket:
            self.send(upgrade_request())
        else:
            self._begin()

    def _begin(self) -> None:
        if self._slot.connect:
            self.send(self._framed(self._slot.connect))
        else:
            self._awaits_connack = False
            self._attack()

    def _attack(self) -> None:
        self.send(self._framed(self._slot.opening))
        self._volleys = self._slot.ammunition()
        self._has_more = not self._slot.rate
        if self._slot.rate:
            self._shoot(time.monotonic())
        else:
            self._flush()

    def _shoot(self, moment: float) -> None:
        """One volley, and the next when its time has come."""
        if not self.is_open:
            return
        self._reload()
        self._flush()
        self._assault.at(moment + 1 / self._slot.rate, lambda: self._shoot(moment + 1 / self._slot.rate))

    def _reload(self) -> bool:
        volley = next(self._volleys, None)
        if volley is None or self._assault.budget <= 0:
            self._has_more = False
            return False
        self._output += self._framed(volley.data)
        self._assault.counts["packets"] += volley.packets
        self._assault.counts["bytes"] += len(volley.data)
        self._assault.budget -= volley.packets
        return True

    def _framed(self, data: bytes) -> bytes:
        return frame(data) if self._slot.websocket and data else data

    def _flush(self) -> None:
        super()._flush()
        # Some at a time, so that the others have their turn.
        for _ in range(4):
            if self._output or not self._has_more or not self.is_open or not self._reload():
                return
            super()._flush()

    def _watch(self, wants_to_write: bool) -> None:
        events = selectors.EVENT_READ if self._slot.reads or self._awaits_connack else 0
        if wants_to_write or self._has_more:
            events |= selectors.EVENT_WRITE
        if events and self._is_watched:
            self._selector.modify(self.socket, events, self)
        elif events:
            self._selector.register(self.socket, events, self)
            self._is_watched = True
        elif self._is_watched:
            self._selector.unregister(self.socket)
            self._is_watched = False
            self._look_after()

    _awaits_connack = True

    def _look_after(self) -> None:
        """Who neither reads nor writes is not told of the end, and asks now and then."""
        if not self.is_open or self._is_watched:
            return
        if self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1) != ESTABLISHED:
            self.ended("closed")
        else:
            self._assault.at(time.monotonic() + 0.25, self._look_after)

    def take(self, data: bytes) -> None:
        if not self._is_upgraded:
            self._upgrade(data)
            return
        if self._slot.websocket:
            self._assault.counts["answers"] += 1
            if self._awaits_connack:
                self._admitted(self._connack_code(data))
            return
        for header, body in self.reader.feed(data):
            kind = header >> 4
            if kind == mqtt.CONNACK:
                self._admitted(body[1])
            elif kind == mqtt.DISCONNECT:
                self._assault.counts[f"DISCONNECT {body[0] if body else 0:#x}"] += 1
            else:
                self._answer(header, body)
            if not self.is_open:
                return

    def _admitted(self, code: int) -> None:
        self._awaits_connack = False
        if code:
            self._assault.counts[f"CONNACK {code:#x}"] += 1
            self.ended("refused")
            return
        self._assault.counts["admitted"] += 1
        if self._slot.leaves:
            self.send(mqtt.DISCONNECTING)
            self.close()
            return
        self._attack()

    def _answer(self, header: int, body: bytes) -> None:
        counts, kind = self._assault.counts, header >> 4
        if kind == mqtt.PUBACK:
            counts["acknowledged" if len(body) <= 2 or body[2] < 0x80 else "PUBACK refused"] += 1
        elif kind == mqtt.SUBACK:
            refused = sum(code >= 0x80 for code in body[3:])
            counts["filters refused"] += refused
            counts["filters granted"] += len(body) - 3 - refused
        elif kind == mqtt.PUBLISH:
            self._reply(header, body)

    def _reply(self, header: int, body: bytes) -> None:
        message = mqtt.Message(header, body)
        if message.packet_id:
            self.send(mqtt.puback(message.packet_id))
        if not message.topic.startswith(mqtt.PREFIX + "down/"):
            self._assault.counts["events heard"] += 1
            return
        reply = json.loads(message.payload)
        self._assault.counts["ok" if reply["ok"] else reply["error"]["code"]] += 1

    def ended(self, why: str) -> None:
        if not self.is_open:
            return
        self.close()
        self._assault.counts["thrown out" if not self._awaits_connack else "turned away"] += 1
        if self._slot.returns and not self._slot.leaves:
            self._assault.again(self._slot)

    # WebSocket

    def _upgrade(self, data: bytes) -> None:
        self._is_upgraded = True
        if b" 101 " not in data:
            self._assault.counts["no WebSocket"] += 1
            self.ended("no WebSocket")
            return
        self._begin()

    @staticmethod
    def _connack_code(data: bytes) -> int:
        """Of a frame that holds CONNACK: its header is of two bytes, for it is short."""
        return data[2 + 3] if len(data) > 5 and data[2] == 0x20 else 0xFF


def be_considerate() -> None:
    """The servers share two processors with their attackers here, and would not elsewhere: whoever is no attacker runs
    at once. The kernel sees to that only within one session (sched(7), "The autogroup feature"), so that all of a
    siege's processes are in one."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
