"""An hour of mixed load, after which everything is as large and as quick as after five minutes.

`scripts/soak.sh --help` says the options.
"""

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from companions import Companions, arrange
from gateway import Gateway
from hooks import Hooks
from honest import Crowd
from launch import in_scratch
from ledger import Phase, percentile
from people import found
from report import MEGABYTE
from rounds import WITHOUT_LIMITS

SAMPLE_INTERVAL = 10
# Of the twenty who talk.
MESSAGES_PER_SECOND = 2
PATIENCE = 60


@dataclass
class Sample:
    """Times in seconds, sizes in bytes."""

    at: float
    broker: float
    gateway: float
    database: float
    broker_file: float
    # Rows that were stored up to now: messages, and what companions wrote.
    stored: float
    p50: float
    p99: float
    sign_in_p50: float
    sign_in: float
    pushes: float

    def cells(self) -> list[str]:
        return [
            f"{self.at:.0f}", f"{self.broker / MEGABYTE:.1f}", f"{self.gateway / MEGABYTE:.1f}",
            f"{self.database / MEGABYTE:.1f}", f"{self.broker_file / MEGABYTE:.2f}", f"{self.stored:,.0f}",
            f"{self.p50 * 1000:.1f}", f"{self.p99 * 1000:.1f}", f"{self.sign_in_p50 * 1000:.1f}",
            f"{self.sign_in * 1000:.1f}", f"{self.pushes:,.0f}",
        ]  # fmt: skip


HEADINGS = [
    "s", "broker MB", "gateway MB", "database MB", "broker's file MB", "stored", "p50 ms", "p99 ms", "sign-in p50",
    "p99 ms", "pushes",
]  # fmt: skip


@dataclass(frozen=True)
class Measure:
    """What must not grow: the median of the last window against that of the first, with a tolerance."""

    name: str
    of: Callable[[Sample], float]
    unit: str
    scale: float
    # The last may be this share greater than the first, and so much besides, in `unit`.
    share: float
    besides: float


MEASURES = [
    Measure("memory of the broker", lambda sample: sample.broker, "MB", MEGABYTE, 0.1, 4),
    Measure("memory of the gateway", lambda sample: sample.gateway, "MB", MEGABYTE, 0.1, 12),
    Measure("the broker's file", lambda sample: sample.broker_file, "MB", MEGABYTE, 0.5, 1),
    Measure("p50 of deliveries", lambda sample: sample.p50, "ms", 0.001, 0.5, 1),
    Measure("p99 of deliveries", lambda sample: sample.p99, "ms", 0.001, 0.5, 3),
    Measure("p50 of sign-ins", lambda sample: sample.sign_in_p50, "ms", 0.001, 0.5, 1),
    Measure("slowest of sign-ins", lambda sample: sample.sign_in, "ms", 0.001, 0.5, 5),
]
# Bytes of the database for each row that is stored, of the last window against the first.
BYTES_A_ROW_SHARE = 0.25


@dataclass(frozen=True)
class Windows:
    """In seconds since the beginning."""

    warm: float
    width: float
    end: float

    @staticmethod
    def of(minutes: float) -> "Windows":
        width = min(5, minutes / 3) * 60
        return Windows(warm=width, width=width, end=minutes * 60)

    def first(self, samples: list[Sample]) -> list[Sample]:
        return [sample for sample in samples if self.warm < sample.at <= self.warm + self.width]

    def last(self, samples: list[Sample]) -> list[Sample]:
        return [sample for sample in samples if sample.at > self.end - self.width]


def slope(samples: list[Sample], of: Callable[[Sample], float]) -> float:
    """Least squares, an hour."""
    if len(samples) < 2:
        return 0
    fit = statistics.linear_regression([sample.at for sample in samples], [of(sample) for sample in samples])
    return fit.slope * 3600


def breaches(samples: list[Sample], windows: Windows, print_line: Callable[[str], None] = print) -> list[str]:
    """What has grown, a sentence each. Prints each measure with its slope."""
    first, last, found = windows.first(samples), windows.last(samples), []
    since_warm = [sample for sample in samples if sample.at > windows.warm]
    if not first or not last:
        return ["there are no samples"]
    for measure in MEASURES:
        before = statistics.median(map(measure.of, first)) / measure.scale
        after = statistics.median(map(measure.of, last)) / measure.scale
        print_line(
            f"{measure.name:24} {before:8.1f} → {after:8.1f} {measure.unit}, "
            f"{slope(since_warm, measure.of) / measure.scale:+.2f} an hour"
        )
        if after > before * (1 + measure.share) + measure.besides:
            found.append(f"{measure.name} grew from {before:.1f} to {after:.1f} {measure.unit}")
    before, after = bytes_a_row(first), bytes_a_row(last)
    print_line(f"{'bytes of a stored row':24} {before:8.0f} → {after:8.0f}")
    if after > before * (1 + BYTES_A_ROW_SHARE):
        found.append(f"a stored row takes {after:.0f} bytes instead of {before:.0f}")
    return found


def bytes_a_row(samples: list[Sample]) -> float:
    stored = samples[-1].stored - samples[0].stored
    return (samples[-1].database - samples[0].database) / stored if stored > 0 else 0


def say(sentence: str) -> None:
    print(f"soak.sh: {sentence}", file=sys.stderr, flush=True)


class Soak:
    def __init__(self, gateway: Gateway, crowd: Crowd, companions: Companions, hooks: Hooks) -> None:
        self._gateway, self._crowd, self._companions, self._hooks = gateway, crowd, companions, hooks
        self._started = time.monotonic()
        self.samples: list[Sample] = []

    def run(self, minutes: float) -> None:
        print("  ".join(HEADINGS), flush=True)
        phase = Phase("warming up")
        while time.monotonic() - self._started < minutes * 60:
            current = Phase("sample")
            self._crowd.talk(current, SAMPLE_INTERVAL, self._companions.step, rate=MESSAGES_PER_SECOND)
            # What is still under way is counted with the next.
            self.samples.append(self._sample(current, phase))
            print("  ".join(map(str.rjust, self.samples[-1].cells(), map(len, HEADINGS))), flush=True)
            phase = current

    def _sample(self, phase: Phase, before: Phase) -> Sample:
        files = list(self._gateway.data.glob("*.db"))
        size = {path: path.stat().st_size for path in files}
        broker_file = next((bytes_ for path, bytes_ in size.items() if path.name == "mosquitto.db"), 0)
        counts = self._companions.counts
        stored = self._crowd.ledger.count + sum(counts[operation] for operation in STORING)
        arrivals = phase.arrivals or before.arrivals
        return Sample(
            time.monotonic() - self._started, self._gateway.usage("mosquitto").rss, self._gateway.usage("parleyd").rss,
            sum(size.values()) - broker_file, broker_file, stored, phase.p50, phase.p99,
            percentile(arrivals, 0.5), percentile(arrivals, 0.99), len(self._hooks.ids),
        )  # fmt: skip

    def faults(self) -> list[str]:
        """What was lost, refused or ended, a sentence each."""
        self._crowd.settle(PATIENCE)
        ledger, found = self._crowd.ledger, []
        if ledger.lost:
            found.append(f"{ledger.lost} of {ledger.count:,} messages were lost")
        if ledger.doubled:
            found.append(f"{len(ledger.doubled)} deliveries came twice")
        if ledger.refused:
            found.append(f"refused: {dict(ledger.refused)}")
        if ledger.disconnected:
            found.append(f"{ledger.disconnected.total()} connections were ended")
        if not self._hooks.ids:
            found.append("no push came")
        return found + [f"{program} has ended" for program in self._gateway.programs if not self._gateway.runs(program)]


STORING = ["messages/send", "messages/react", "activity/post", "workouts/log"]


def run(options: argparse.Namespace, scratch: Path) -> int:
    say("making everybody")
    gateway = Gateway(scratch / "gateway")
    with Hooks() as hooks:
        with gateway.running({**WITHOUT_LIMITS, "push_allow_private_endpoints": True}):
            town = found(gateway)
            arrange(gateway, town, hooks.url)
        with gateway.running({"push_allow_private_endpoints": True}):
            crowd = Crowd(gateway.tcp, town)
            # An hour's garbage is to be collected after all.
            gc.enable()
            companions = Companions(crowd)
            soak = Soak(gateway, crowd, companions, hooks)
            try:
                soak.run(options.minutes)
                wrong = breaches(soak.samples, Windows.of(options.minutes)) + soak.faults()
            finally:
                companions.close()
                crowd.close()
    say(", ".join(f"{what} {count:,}" for what, count in sorted(companions.counts.items())))
    say(f"{len(hooks.ids):,} pushes, {hooks.repeats} repeated; {crowd.ledger.count:,} messages of those who talk")
    for sentence in wrong:
        print(f"FAULT: {sentence}", flush=True)
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="soak.sh", add_help=False)
    parser.add_argument("--minutes", type=float, default=60)
    options = parser.parse_args()
    if options.minutes < 1:
        parser.error("--minutes is at least 1")
    return in_scratch("soak", options, run)


if __name__ == "__main__":
    sys.exit(main())
