"""Plays attackers beside honest users, and says what the honest notice. `scripts/siege.sh --help` says the options."""

import argparse
import sys
from pathlib import Path

import report
from catalogue import ATTACKS, named
from gathering import PERIODS
from launch import in_scratch
from report import Bounds, Row
from rounds import SHORT, THOROUGH, Siege, say


def judge(rows: list[Row], bounds: Bounds) -> int:
    """Says what does not hold; how much that is."""
    breaches = [(row.name, breach) for row in rows for breach in row.breaches(bounds)]
    for name, breach in breaches:
        say(f"BREACH by {name}: {breach}")
    return len(breaches)


def run(options: argparse.Namespace, scratch: Path) -> int:
    siege = Siege(
        scratch, SHORT if options.short else THOROUGH, options.without_limits, options.logs, duration=options.seconds,
        after=options.after,
    )  # fmt: skip
    chosen = [attack for attack in ATTACKS if attack.is_in_short or not options.short]
    if options.only:
        chosen = [named(name) for name in options.only]
    rows = []
    print(report.line(report.HEADINGS), flush=True)
    for row in siege.rows(chosen):
        rows.append(row)
        print(report.line(row.cells()), flush=True)
        say(f"{row.name}: " + ", ".join(f"{what} {count:,}" for what, count in sorted(row.counts.items())))
    if options.markdown:
        print(report.markdown([row.cells() for row in rows]))
    breaches = judge(rows, report.SHORT if options.short else report.THOROUGH)
    say(f"{len(rows)} attacks, {breaches} breaches")
    return 1 if breaches else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="siege.sh", add_help=False)
    parser.add_argument("--only", nargs="+", choices=[attack.name for attack in ATTACKS], metavar="ATTACK")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--after", choices=PERIODS, default="")
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--without-limits", action="store_true")
    parser.add_argument("--logs", type=Path)
    options = parser.parse_args()
    if options.list:
        for each in ATTACKS:
            print(f"{each.name:26} {each.description}")
        return 0
    return in_scratch("siege", options, run)


if __name__ == "__main__":
    sys.exit(main())
