"""The programs of a gateway in a data directory of its own, for whatever tests or attacks one: Mosquitto with the plugin, and
parleyd."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ports import free_ports

ROOT = Path(__file__).resolve().parents[3]
BINARIES = Path(os.environ.get("PARLEY_PRODUCTS") or ROOT / ".build" / "release")
# In seconds, for a program to start or to end.
PATIENCE = 120


class StartFailed(Exception):
    """A program did not start, or ended by itself; what it said is in the message."""


@dataclass
class Usage:
    """What a process has used so far, as the kernel counts it."""

    rss: int
    peak: int
    cpu: float

    @staticmethod
    def of(pid: int) -> "Usage":
        """Memory in bytes, `peak` since `forget_peak`, CPU in seconds."""
        fields = dict(
            line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line
        )
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks = int(stat[11]) + int(stat[12])
        return Usage(
            rss=int(fields["VmRSS"].split()[0]) * 1024,
            peak=int(fields["VmHWM"].split()[0]) * 1024,
            cpu=ticks / os.sysconf("SC_CLK_TCK"),
        )

    @staticmethod
    def forget_peak(pid: int) -> None:
        Path(f"/proc/{pid}/clear_refs").write_text("5")


class Launched:
    """Broker and bridge on loopback. They end when this process does, however that ends."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.mqtt_port = 0

    def launch(self, settings: dict[str, Any], template: str = "development") -> None:
        """Returns when devices can sign in. `settings` is what stands in `parleyd.json`, and `template` what the broker's
        configuration is made from."""
        (self.mqtt_port,) = free_ports(1)
        self.data.mkdir(mode=0o700, exist_ok=True)
        for left in (self.data / "run" / "broker.sock", *self.data.glob("*.err")):
            left.unlink(missing_ok=True)
        subprocess.run(
            [
                BINARIES / "parleyd", "init", "--data", self.data, "--mqtt-port", str(self.mqtt_port), "--plugin",
                BINARIES / "libParleyBrokerPlugin.so", "--template",
                ROOT / "broker-config" / f"{template}.conf", *([] if os.geteuid() else ["--allow-root"]),
            ],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        (self.data / "parleyd.json").write_text(json.dumps(settings))
        # In /usr/sbin, which only root has in PATH.
        mosquitto = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        self.start_program("mosquitto", [mosquitto, "-c", str(self.data / "mosquitto.conf")])
        self.until("mosquitto", lambda: (self.data / "run" / "broker.sock").exists())
        self.start_parleyd()

    def start_program(self, name: str, command: list[str]) -> None:
        """Returns at once."""
        # In a process group of its own, so that a terminal's Ctrl-C reaches this program alone, which stops them in order.
        with open(self.data / f"{name}.out", "wb") as out, open(self.data / f"{name}.err", "ab") as err:
            self._processes[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", *command],
                cwd=self.data, stdin=subprocess.DEVNULL, stdout=out, stderr=err, process_group=0,
            )  # fmt: skip

    def launch_parleyd(self) -> None:
        """Returns at once."""
        self.start_program("parleyd", [str(BINARIES / "parleyd"), "run", "--data", str(self.data)])

    def start_parleyd(self) -> None:
        """Returns when devices can sign in."""
        self.launch_parleyd()
        self.until("parleyd", lambda: "parley: ready" in self.log("parleyd.out"))

    def kill_parleyd(self) -> None:
        """kill -9."""
        if not self.runs("parleyd"):
            raise StartFailed(f"parleyd ended by itself: {self.log('parleyd.err')[-3000:]}")
        self._processes["parleyd"].kill()
        self._processes["parleyd"].wait()

    def until(self, name: str, condition: Callable[[], bool], limit: float = PATIENCE, pause: float = 0.005) -> None:
        """Waits for what comes while a program runs. `limit` and `pause` are in seconds."""
        end = time.monotonic() + limit
        while not condition():
            if not self.runs(name) or time.monotonic() > end:
                raise StartFailed(f"{name}: {self.log(f'{name}.err')[-3000:]}")
            time.sleep(pause)

    def end(self, *names: str) -> None:
        """In this order; kills what does not end."""
        for name in names:
            process = self._processes.pop(name, None)
            if process is None or process.poll() is not None:
                continue
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def stop(self) -> None:
        self.end("parleyd", "mosquitto")

    def runs(self, name: str) -> bool:
        return self._processes[name].poll() is None

    def log(self, name: str) -> str:
        return (self.data / name).read_text(errors="replace")

    def pid(self, name: str) -> int:
        return self._processes[name].pid

    def usage(self, name: str) -> Usage:
        return Usage.of(self.pid(name))


def in_scratch(name: str, options: argparse.Namespace, run: Callable[[argparse.Namespace, Path], int]) -> int:
    """Runs a program in a temporary directory that goes with it, however it ends. Its status."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))
    scratch = Path(tempfile.mkdtemp(prefix=f"{name}-"))
    try:
        return run(options, scratch)
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
