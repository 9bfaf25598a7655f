"""TCP ports on loopback that programs of tests listen on."""

import contextlib
import random
import socket


def free_ports(count: int) -> list[int]:
    """Below those that the kernel gives to connections, many of which are made meanwhile."""
    found: list[int] = []
    for port in random.sample(range(10_000, 32_768), 1000):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            found.append(port)
        if len(found) == count:
            return found
    raise OSError("there are no free ports")
