"""The process that attacks: `attacker.py NAME FIELD`. It prints what it did as one JSON object, and ends by itself."""

import json
import sys
from pathlib import Path

from assault import Assault, be_considerate
from catalogue import named
from device import Endpoint
from field import Field
from people import Town


def main() -> None:
    name, described = sys.argv[1], json.loads(Path(sys.argv[2]).read_text())
    be_considerate()
    assault = Assault(described["seconds"])
    named(name).begin(
        Field(
            assault, Town.of_stored(described["town"]),
            *(Endpoint(**described[listener]) for listener in ("tcp", "websocket")),
        )
    )  # fmt: skip
    assault.run()
    json.dump(assault.counts, sys.stdout)


if __name__ == "__main__":
    main()
