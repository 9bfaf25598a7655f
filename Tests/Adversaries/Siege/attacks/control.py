"""What the arrangement itself costs: attackers and servers share the processors here."""

import os
import time

from field import Field


def busy_loops(field: Field) -> None:
    """No attack: two processes that only count, where the attackers would run."""
    is_child = os.fork() == 0
    end = time.monotonic() + field.assault.seconds
    while time.monotonic() < end:
        field.assault.counts["turns"] += 1
    if is_child:
        os._exit(0)
