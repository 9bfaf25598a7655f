"""Two `parley chat` processes write to each other while the gateway, and one of them, are killed again and again.

Run by scripts/test-interop.sh, which names the gateway in PARLEY_DATA, the tool in PARLEY_TOOL and the process of
run.sh, which keeps the gateway up, in PARLEY_RUN.
"""

import contextlib
import functools
import os
import signal
import threading
import time
import unittest
from pathlib import Path

from device import Device, eventually
from identities import Address, direct_conversation_id
from tool import Listener, Tool

# Messages of each side, and how often the gateway is killed meanwhile.
COUNT, KILLS = 200, 10


class Chat:
    """A `parley chat` in a pipe. Use it as a context manager."""

    def __init__(self, tool: Tool, address: Address, other: str) -> None:
        self.process = tool.start("chat", "--as", "/".join(address), "--with", other)
        self.printed: list[str] = []
        self._said: list[str] = []
        pipes = ((self.printed, self.process.stdout), (self._said, self.process.stderr))
        self._threads = [threading.Thread(target=lines.extend, args=(pipe,)) for lines, pipe in pipes]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "Chat":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def write(self, texts: list[str]) -> None:
        try:
            self.process.stdin.write("".join(text + "\n" for text in texts))
            self.process.stdin.flush()
        except BrokenPipeError:
            raise AssertionError(f"parley chat ended, with status {self.process.wait()}: {self._said}") from None

    def shown(self, prefix: str) -> list[str]:
        """The texts with a prefix, as they were printed."""
        return [line[line.index(prefix) :].strip() for line in list(self.printed) if prefix in line]


def gateway_process() -> int | None:
    run = os.environ["PARLEY_RUN"]
    for child in Path(f"/proc/{run}/task/{run}/children").read_text().split():
        with contextlib.suppress(OSError):
            if Path(f"/proc/{child}/comm").read_text().strip() == "parleyd":
                return int(child)
    return None


def kill_gateway(device: Device) -> None:
    """Kills it in the middle of its work, and returns when another has been started in its place."""
    device.request("profile/get")
    # No waiting for anything: run.sh gives up a gateway that ends again and again within a second of being ready.
    time.sleep(1.2)
    process = eventually("parleyd", gateway_process)
    os.kill(process, signal.SIGKILL)
    eventually("another parleyd", lambda: gateway_process() not in (None, process))


class Recovery(unittest.TestCase):
    number = 0

    def setUp(self) -> None:
        self.tool = Tool(Path(os.environ["PARLEY_TOOL"]), Path(os.environ["PARLEY_DATA"]))
        Recovery.number += 1
        self.dora, self.emil = (
            self.tool.add(Address(f"{name}{Recovery.number}", "phone")) for name in ("dora", "emil")
        )
        self.conversation = direct_conversation_id(self.dora.user, self.emil.user)
        self.tool.request(
            self.dora, "conversations/create", {"type": "direct", "participant_ids": [self.emil.user]}
        )

    def await_keys(self, *addresses: Address) -> None:
        """A chat makes its device's keys when it starts; before that nothing can be sealed for it."""
        with Device(self.tool.data, self.dora) as device:
            for address in addresses:
                user = {"user_id": address.user}
                eventually(f"keys of {address}", functools.partial(self._has_keys, device, user))

    @staticmethod
    def _has_keys(device: Device, user: dict[str, str]) -> bool:
        return bool(device.request("keys/get", user)["devices"])

    def last_seq(self) -> int:
        conversation = {"conversation_id": self.conversation}
        with Device(self.tool.data, self.dora) as device:
            return device.request("conversations/get", conversation)["last_seq"]

    def opened(self, reader: Address, count: int) -> dict[str, list[str]]:
        """What a device opens of the history, by the user who sent it."""
        options = ["--conversation", self.conversation, "--history", str(count)]
        with Listener(self.tool, reader, *options) as listener:
            lines = listener.wait(lambda: len(listener.lines) >= count and list(listener.lines), f"{count} messages")
        texts: dict[str, list[str]] = {self.dora.user: [], self.emil.user: []}
        for line in lines:
            texts[line["sender_id"]].append(line["content"]["text"])
        return texts

    def test_the_gateway_is_killed_under_two_chats(self) -> None:
        from_dora, from_emil = ([f"{name} {number:03}" for number in range(COUNT)] for name in ("D", "E"))
        with (
            Chat(self.tool, self.dora, self.emil.user) as dora, Chat(self.tool, self.emil, self.dora.user) as emil,
            Device(self.tool.data, self.dora) as observer,
        ):  # fmt: skip
            self.await_keys(self.dora, self.emil)
            share = COUNT // KILLS // 2
            for part in range(0, COUNT, 2 * share):
                for start in (part, part + share):
                    dora.write(from_dora[start : start + share])
                    emil.write(from_emil[start : start + share])
                    if start == part:
                        kill_gateway(observer)
            eventually("all of emil's at dora's", lambda: len(dora.shown("E ")) >= COUNT)
            eventually("all of dora's at emil's", lambda: len(emil.shown("D ")) >= COUNT)
            self.assertEqual((dora.shown("E "), emil.shown("D ")), (from_emil, from_dora))
        self.assertEqual(self.last_seq(), 2 * COUNT)
        for reader in (self.dora, self.emil):
            opened = self.opened(reader, 2 * COUNT)
            self.assertEqual((opened[self.dora.user], opened[self.emil.user]), (from_dora, from_emil))

    def test_a_chat_is_killed_while_it_sends(self) -> None:
        texts = [f"K {number:03}" for number in range(COUNT)]
        acknowledged, killed_early = set[str](), 0
        with Chat(self.tool, self.emil, self.dora.user) as emil:
            self.await_keys(self.emil)
            for part in range(0, COUNT, 40):
                with Chat(self.tool, self.dora, self.emil.user) as dora:
                    dora.write(texts[part : part + 40])
                    first, last = texts[part], texts[part + 39]
                    eventually("some of it", lambda: first in emil.shown("K "))
                    dora.process.kill()
                    killed_early += last not in emil.shown("K ")
                acknowledged |= set(dora.shown("K "))
            # What was taken up is sent by the next one.
            self.tool.run("chat", "--as", "/".join(self.dora), "--with", self.emil.user, stdin="K end\n")
            eventually("the last", lambda: emil.shown("K end"))
            shown = emil.shown("K ")
        self.assertEqual(acknowledged - set(shown), set(), "what was shown as sent has not arrived")
        self.assertEqual(len(set(shown)), len(shown), "something came twice")
        self.assertEqual(shown[:-1], sorted(shown[:-1]), "something came out of order")
        self.assertGreater(killed_early, 0, "no chat was killed in the middle of its sending")


if __name__ == "__main__":
    unittest.main(verbosity=2)
