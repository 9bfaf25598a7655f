"""What the honest have sent, what has come of it, and how long it took."""

import math
from collections import Counter
from dataclasses import dataclass, field


def percentile(values: list[float], share: float) -> float:
    """The smallest value that so great a share of all does not exceed; 0 of none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(0, math.ceil(round(len(ordered) * share, 6)) - 1)]


@dataclass
class Phase:
    """What was sent in one part of a run. Times in seconds."""

    name: str
    sent: int = 0
    # From the sending to each delivery, the sender's own echo included.
    deliveries: list[float] = field(default_factory=list)
    # From opening a connection to the reply to its first request.
    arrivals: list[float] = field(default_factory=list)
    turned_away: int = 0

    @property
    def p50(self) -> float:
        return percentile(self.deliveries, 0.5)

    @property
    def p99(self) -> float:
        return percentile(self.deliveries, 0.99)

    @property
    def slowest_arrival(self) -> float:
        return max(self.arrivals, default=0.0)


@dataclass
class _Message:
    phase: Phase
    sent_at: float
    missing: set[str]


class Ledger:
    """Each message is to be delivered once to every member of its conversation, its sender included."""

    def __init__(self) -> None:
        self._messages: dict[str, _Message] = {}
        self._open: set[str] = set()
        self.doubled: list[tuple[str, str]] = []
        self.refused: Counter[str] = Counter()
        self.disconnected: Counter[str] = Counter()

    def sent(self, message: str, members: list[str], phase: Phase, now: float) -> None:
        phase.sent += 1
        self._messages[message] = _Message(phase, now, set(members))
        self._open.add(message)

    def delivered(self, message: str, member: str, now: float) -> None:
        """What the honest have not sent is nothing to them."""
        entry = self._messages.get(message)
        if entry is None:
            return
        if member not in entry.missing:
            self.doubled.append((message, member))
            return
        entry.missing.remove(member)
        entry.phase.deliveries.append(now - entry.sent_at)
        if not entry.missing:
            self._open.discard(message)

    def refuse(self, code: str) -> None:
        self.refused[code] += 1

    @property
    def is_settled(self) -> bool:
        return not self._open

    @property
    def count(self) -> int:
        return len(self._messages)

    @property
    def lost(self) -> int:
        """Messages that somebody has not got."""
        return len(self._open)
