"""Which files one message crosses in the gateway, by coverage. `scripts/walk.sh --help` says the options."""

import argparse
import base64
import json
import os
import re
import subprocess
import sys
import uuid
from collections import defaultdict
from pathlib import Path

import mqtt
from device import Credentials, Device
from gateway import Gateway
from launch import BINARIES, ROOT, in_scratch

PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- walk -->\n", "<!-- /walk -->"
# Messages of two runs: what runs for each message runs so much oftener in the second, but that a loop may now and then serve
# two at once, and that more or less is done at the start.
FEW, MANY = 20, 220
LEAST = (MANY - FEW) * 4 // 5
RUNS = 3
# JSON, ids and times, rows of the database, the system: every request crosses them.
EVERYWHERE = re.compile(
    r"ParleyProtocol/(Bytes|Identifiers|JSON|Time|Topics)/|ParleyStore/Database/|(Platform|Sodium)/"
)
# A file of which no more is run only holds values.
VALUE = re.compile(
    r"\.(getter|setter|modify|read|unsafeAddressor) |\binit[(<]|variable initialization|default argument|"
    r"\bclosure #|static .*\.== |hash\(into:\)|\.subscript\."
)


class Listener(Device):
    def hear(self) -> None:
        """Waits for the next message, and acknowledges it."""
        header, body = self._await(mqtt.PUBLISH)
        self._socket.sendall(mqtt.puback(mqtt.Message(header, body).packet_id))


def send(gateway: Gateway, count: int) -> None:
    """Two who follow each other; one sends the other so many messages, each when the last is heard."""
    with Device(gateway.local, gateway.operator(), "walk") as operator:
        users = ("alice", "bob")
        operator.requests([("admin/add-user", {"user_id": user}) for user in users])
        added = operator.requests([("admin/add-device", {"user_id": user, "device_id": "phone"}) for user in users])
    alice, bob = (Credentials(user, "phone", answer["password"]) for user, answer in zip(users, added, strict=True))
    with Device(gateway.tcp, alice) as sender, Listener(gateway.tcp, bob) as listener:
        sender.request("social/follow", {"user_id": "bob"})
        listener.request("social/follow", {"user_id": "alice"})
        made = sender.request("conversations/create", {"type": "direct", "participant_ids": ["bob"]})
        listener.subscribe([f"{mqtt.PREFIX}conversations/{made['id']}/messages"])
        for _ in range(count):
            sender.request("messages/send", {
                "id": str(uuid.uuid4()), "conversation_id": made["id"], "message_type": "text", "suite": "nacl-box",
                "encrypted_content": base64.b64encode(os.urandom(256)).decode(),
                "nonce": base64.b64encode(os.urandom(24)).decode(),
            })  # fmt: skip
            listener.hear()


def counts(scratch: Path, messages: int) -> dict[tuple[str, str], int]:
    """How often each function of each file was run by a gateway that was sent so many messages, broker included."""
    profiles = scratch / f"profiles-{messages}"
    profiles.mkdir()
    os.environ["LLVM_PROFILE_FILE"] = str(profiles / "%p.profraw")
    gateway = Gateway(scratch / f"data-{messages}", has_web_door=False)
    with gateway.running({"request_burst": 10_000, "requests_per_second": 10_000}):
        programs = {"parleyd": gateway.pid("parleyd"), "libParleyBrokerPlugin.so": gateway.pid("mosquitto")}
        send(gateway, messages)
    found: dict[tuple[str, str], int] = defaultdict(int)
    for name, pid in programs.items():
        merged = profiles / f"{name}.profdata"
        subprocess.run(["llvm-profdata", "merge", "-o", merged, profiles / f"{pid}.profraw"], check=True)
        exported = subprocess.run(
            ["llvm-cov", "export", "-format=text", "-instr-profile", merged, BINARIES / name], check=True,
            stdout=subprocess.PIPE,
        ).stdout  # fmt: skip
        for function in json.loads(exported)["data"][0]["functions"]:
            path = Path(function["filenames"][0])
            if path.is_relative_to(ROOT / "Sources"):
                file = str(path.relative_to(ROOT / "Sources"))
                found[file, function["name"].rpartition(":")[2]] += function["count"]
    return found


def walk(scratch: Path) -> list[str]:
    """The files that do something for each message, in each of several runs: on a busy machine a timer may run as often."""
    return sorted(set.intersection(*(walk_once(scratch / str(run)) for run in range(RUNS))))


def walk_once(scratch: Path) -> set[str]:
    scratch.mkdir()
    before, after = counts(scratch, FEW), counts(scratch, MANY)
    run = [key for key, count in after.items() if count - before.get(key, 0) >= LEAST]
    names = subprocess.run(
        ["swift-demangle", "-simplified", "-compact"], input="\n".join(name for _, name in run), check=True, text=True,
        stdout=subprocess.PIPE,
    ).stdout.splitlines()  # fmt: skip
    files = {file for (file, _), name in zip(run, names, strict=True) if not VALUE.search(name + " ")}
    return {file for file in files if not EVERYWHERE.match(file)}


def table(files: list[str]) -> str:
    """The files by target and folder, as the page has them."""
    folders: dict[str, list[str]] = defaultdict(list)
    for file in files:
        folder, _, name = file.rpartition("/")
        folders[folder].append(f"`{name.removesuffix('.swift')}`")
    rows = [f"| `{folder}` | {', '.join(names)} |\n" for folder, names in folders.items()]
    return f"\n{len(files)} files:\n\n| folder | files |\n| --- | --- |\n" + "".join(rows) + "\n"


def compare(options: argparse.Namespace, scratch: Path) -> int:
    found = table(walk(scratch))
    print(found.strip())
    text = PAGE.read_text()
    before, begin, rest = text.partition(BEGIN)
    stated, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"walk.sh: {PAGE} has no walk between {BEGIN.strip()} and {END}")
    if options.write:
        PAGE.write_text(before + BEGIN + found + END + after)
    elif stated != found:
        print("walk.sh: docs/architecture.md names other files; scripts/walk.sh --write corrects it", file=sys.stderr)
        return 1
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="walk.sh", add_help=False)
    parser.add_argument("--write", action="store_true")
    return in_scratch("walk", parser.parse_args(), compare)


if __name__ == "__main__":
    sys.exit(main())
