"""One row an attack, judged by what must hold."""

from collections import Counter
from dataclasses import dataclass, field

from ledger import Ledger, Phase

MEGABYTE = 1 << 20
PROGRAMS = {"mosquitto": "broker", "parleyd": "gateway", "haproxy": "door", "parley-web": "web door"}


@dataclass(frozen=True)
class Allowance:
    """What one attack may do where the bounds for all say something else; 0 is what they say."""

    p99_against_quiet: float = 0
    kept: int = 0
    # Of what it counts: at most so many.
    most: dict[str, int] = field(default_factory=dict)
    # Whether the attacker must be taken off, and turned away for a moment.
    is_taken_off: bool = False


@dataclass(frozen=True)
class Bounds:
    """Latencies in seconds, memory in bytes. A latency of 0 is not judged."""

    p99: float = 0.050
    p99_against_quiet: float = 2
    memory: int = 512 * MEGABYTE
    # The broker's mark, `broker_memory_bytes`: it is below it a minute after an attack.
    mark: int = 256 * MEGABYTE
    # How much more a process may hold when an attack has been over for a while: caches that it fills once, and pages
    # that malloc keeps.
    kept: int = 64 * MEGABYTE
    # How much more after the same attack again: what leaks, leaks twice.
    kept_again: int = 12 * MEGABYTE


THOROUGH = Bounds()
# Latencies, and what a process keeps, are not for a few seconds on a machine that does something else besides.
SHORT = Bounds(p99=0, p99_against_quiet=0, kept=512 * MEGABYTE)


@dataclass
class Memory:
    """Of one process: resident before, at most meanwhile, and after each round."""

    before: int
    peak: int = 0
    after: list[int] = field(default_factory=list)
    cpu: float = 0

    def text(self) -> str:
        sizes = [self.before, self.peak, *self.after]
        return " ".join(f"{size / MEGABYTE:.0f}" for size in sizes)


@dataclass
class Row:
    name: str
    title: str
    quiet: Phase
    during: Phase
    ledger: Ledger
    memory: dict[str, Memory]
    # What the attackers say that they did.
    counts: Counter[str]
    measure: str
    # In seconds, of attack.
    duration: float
    ended: list[str] = field(default_factory=list)
    allowance: Allowance = field(default_factory=Allowance)
    # What else does not hold, a sentence each.
    found_afterwards: list[str] = field(default_factory=list)

    def breaches(self, bounds: Bounds) -> list[str]:
        """What does not hold, a sentence each."""
        found = [f"{program} has ended" for program in self.ended]
        # Whoever has just been taken off is turned away for some seconds: then an attack has met a limit, too.
        if self.counts[self.measure] == 0 and self.counts["turned away"] == 0:
            found.append(f"the attack did nothing: {dict(self.counts)}")
        if self.ledger.lost:
            found.append(f"{self.ledger.lost} messages of the honest were lost")
        if self.ledger.doubled:
            found.append(f"{len(self.ledger.doubled)} deliveries came twice")
        if self.ledger.refused:
            found.append(f"the honest were refused: {dict(self.ledger.refused)}")
        if self.ledger.disconnected:
            found.append(f"{self.ledger.disconnected.total()} of the honest were disconnected")
        if bounds.p99 and self.during.p99 >= bounds.p99:
            found.append(f"p99 is {self.during.p99 * 1000:.1f} ms")
        found += self.found_afterwards
        if self.allowance.is_taken_off and self.counts["turned away"] == 0:
            found.append("the attacker was not taken off")
        for count, most in self.allowance.most.items():
            if self.counts[count] > most:
                found.append(f"{count}: {self.counts[count]:,}, and {most:,} are allowed")
        times = bounds.p99_against_quiet and (self.allowance.p99_against_quiet or bounds.p99_against_quiet)
        if times and self.during.p99 >= times * self.quiet.p99:
            found.append(f"p99 is {self.during.p99 / max(self.quiet.p99, 1e-9):.1f} times its quiet value")
        for program, memory in self.memory.items():
            found += self._memory_breaches(PROGRAMS[program], memory, bounds)
        return found

    def _memory_breaches(self, program: str, memory: Memory, bounds: Bounds) -> list[str]:
        found = []
        if memory.peak >= bounds.memory:
            found.append(f"the {program} grew to {memory.peak / MEGABYTE:.0f} MB")
        if program == PROGRAMS["haproxy"]:
            # It keeps the buffers of as many connections as it ever had at once, which its maxconn bounds.
            return found
        if program == PROGRAMS["mosquitto"] and memory.after and memory.after[-1] >= bounds.mark:
            found.append(f"the broker is above its mark a minute later: {memory.after[-1] / MEGABYTE:.0f} MB")
        if memory.after and memory.after[0] - memory.before > (self.allowance.kept or bounds.kept):
            found.append(f"the {program} kept {(memory.after[0] - memory.before) / MEGABYTE:.0f} MB")
        if len(memory.after) > 1 and memory.after[1] - memory.after[0] > bounds.kept_again:
            grown = (memory.after[1] - memory.after[0]) / MEGABYTE
            found.append(f"the {program} kept {grown:.0f} MB more after a second round")
        return found

    def cells(self) -> list[str]:
        broker, gateway = self.memory["mosquitto"], self.memory["parleyd"]
        return [
            self.title,
            f"{self.counts[self.measure]:,} {self.measure}".replace(" packets", ""),
            f"{self.quiet.p50 * 1000:.1f} {self.quiet.p99 * 1000:.1f}",
            f"{self.during.p50 * 1000:.1f} {self.during.p99 * 1000:.1f}",
            f"{self.during.slowest_arrival * 1000:.0f}",
            f"{self.ledger.lost} of {self.ledger.count:,}",
            broker.text(),
            gateway.text(),
            " ".join(f"{each.cpu / self.duration:.0%}" for each in self.memory.values()),
        ]


HEADINGS = [
    "attack", "got out", "quiet p50 p99", "p50 p99, ms", "arrival", "lost", "broker MB", "gateway MB", "CPU",
]  # fmt: skip
WIDTHS = [50, 20, 14, 14, 8, 12, 24, 24, 10]


def line(cells: list[str]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True)).rstrip()


def markdown(rows: list[list[str]]) -> str:
    def joined(cells: list[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    return "\n".join([joined(HEADINGS), joined(["---"] * len(HEADINGS)), *map(joined, rows)])

