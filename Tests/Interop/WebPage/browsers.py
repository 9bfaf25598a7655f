"""Firefox and Chromium, both from Debian, without a window, each with a profile of its own."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bidi import LIMIT, Connection
from tab import Tab

CAPABILITIES = {"alwaysMatch": {"unhandledPromptBehavior": "ignore", "acceptInsecureCerts": True}}
EVENTS = ["log.entryAdded", "browsingContext.userPromptOpened", "browsingContext.downloadEnd"]
FIREFOX_PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False, "browser.startup.page": 0, "network.proxy.type": 0,
    "network.manage-offline-status": False, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.enabled": False, "app.update.disabledForTesting": True, "app.normandy.enabled": False,
    "services.settings.server": "data:,", "media.navigator.streams.fake": True,
    "media.navigator.permission.disabled": True, "remote.log.level": "Error",
}  # fmt: skip
CHROMIUM_ARGUMENTS = [
    "--headless=new", "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-default-apps", "--no-proxy-server",
    "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", "--force-device-scale-factor=1",
    # Where a namespace cannot be made inside another, and where /dev/shm is small.
    "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-gpu",
    # Tabs of several people work side by side, none of them in front.
    "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
]  # fmt: skip


class Browser:
    """A process with any number of people, whose storages are apart. Use it as a context manager."""

    name = ""

    def __init__(self, directory: Path, theme: str = "light", preferences: dict[str, Any] | None = None) -> None:
        self._directory = directory / f"{self.name}-{theme}-{time.monotonic_ns()}"
        self._directory.mkdir(parents=True)
        self.theme = theme
        self.preferences = preferences or {}
        self._log = self._directory / "browser.log"
        self.tabs: list[Tab] = []

    def __enter__(self) -> "Browser":
        environment = {
            "HOME": str(self._directory), "PATH": os.environ["PATH"], "MOZ_HEADLESS": "1",
            "MOZ_CRASHREPORTER_DISABLE": "1", "MOZ_DISABLE_CONTENT_SANDBOX": "1",
            "MOZ_DISABLE_SOCKET_PROCESS_SANDBOX": "1", "MOZ_DISABLE_GMP_SANDBOX": "1", "LANG": "C.UTF-8",
            "TZ": "Europe/Berlin",
        }  # fmt: skip
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", *self._command()], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, env=environment, process_group=0,
            )  # fmt: skip
        try:
            self.connection = self._connect()
            self.connection.send("session.subscribe", events=EVENTS)
        except BaseException as error:
            error.add_note(self._log.read_text(errors="replace")[-2000:])
            self._end()
            raise
        return self

    def _command(self) -> list[str]:
        raise NotImplementedError

    def _connect(self) -> Connection:
        raise NotImplementedError

    def _matched(self, pattern: str) -> str:
        """What the process says of itself in its log."""
        end = time.monotonic() + LIMIT
        while not (found := re.search(pattern, self._log.read_text(errors="replace"))):
            if self._process.poll() is not None or time.monotonic() > end:
                raise ChildProcessError(f"{self.name} did not start")
            time.sleep(0.02)
        return found.group(1)

    def person(self, width: int = 1280, height: int = 800) -> Tab:
        """A tab of somebody who has nothing in common with the others."""
        context = self.connection.send("browser.createUserContext")["userContext"]
        tab = Tab(self, context)
        tab.resize(width, height)
        self.tabs.append(tab)
        return tab

    def events(self, *methods: str) -> list[dict[str, Any]]:
        """What has happened of these, taken from the list, after one question more."""
        self.connection.send("browsingContext.getTree", maxDepth=0)
        taken = [event for event in self.connection.events if event["method"] in methods]
        self.connection.events = [event for event in self.connection.events if event["method"] not in methods]
        return [event["params"] for event in taken]

    @contextlib.contextmanager
    def downloads(self, tab: Tab, directory: Path) -> Iterator[Callable[[], tuple[str, bytes]]]:
        """Meanwhile the tab may save files; what it yields waits for the next, and returns its name and bytes."""
        directory.mkdir(exist_ok=True)
        self.connection.send(
            "browser.setDownloadBehavior", userContexts=[tab.user_context],
            downloadBehavior={"type": "allowed", "destinationFolder": str(directory)},
        )  # fmt: skip

        def saved() -> tuple[str, bytes]:
            end = time.monotonic() + LIMIT
            while not (found := self.events("browsingContext.downloadEnd")):
                if time.monotonic() > end:
                    raise AssertionError("nothing was saved")
                time.sleep(0.03)
            if found[0]["status"] != "complete":
                raise AssertionError(f"a download ended as {found[0]['status']}")
            path = Path(found[0]["filepath"])
            return path.name, path.read_bytes()

        yield saved

    def failures(self) -> list[str]:
        """What pages have complained of since the last call: errors of scripts and of policies."""
        found = []
        for event in self.connection.events:
            if event["method"] == "log.entryAdded":
                entry = event["params"]
                if entry["level"] in ("error", "warn") and (entry["type"] == "javascript" or "Content" in entry["text"]):
                    found.append(f"{self.name}: {entry['text']}")
        self.connection.events.clear()
        return found

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):
            self.connection.send("browser.close", limit=5)
        self._end()

    def _end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        shutil.rmtree(self._directory, ignore_errors=True)


class Firefox(Browser):
    """It speaks BiDi by itself."""

    name = "firefox"

    def _command(self) -> list[str]:
        profile = self._directory / "profile"
        profile.mkdir()
        wanted = FIREFOX_PREFERENCES | self.preferences | {"ui.systemUsesDarkTheme": int(self.theme == "dark")}
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in wanted.items()]
        (profile / "user.js").write_text("\n".join(lines))
        return ["firefox-esr", "--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", str(profile)]

    def _connect(self) -> Connection:
        url = self._matched(r"WebDriver BiDi listening on (ws://\S+)")
        connection = Connection(f"{url}/session")
        connection.send("session.new", capabilities=CAPABILITIES)
        return connection


class Chromium(Browser):
    """Its driver speaks BiDi in its place."""

    name = "chromium"

    def _command(self) -> list[str]:
        return ["chromedriver", "--port=0", "--log-level=WARNING"]

    def _connect(self) -> Connection:
        port = self._matched(r"started successfully on port (\d+)")
        arguments = [*CHROMIUM_ARGUMENTS, f"--user-data-dir={self._directory / 'profile'}"]
        if self.theme == "dark":
            arguments.append("--force-dark-mode")
        options: dict[str, Any] = {"args": arguments, "binary": shutil.which("chromium")}
        wanted = {"alwaysMatch": {**CAPABILITIES["alwaysMatch"], "webSocketUrl": True, "goog:chromeOptions": options}}
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/session", json.dumps({"capabilities": wanted}).encode(),
            {"content-type": "application/json"},
        )  # fmt: skip
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=LIMIT) as answer:
            return Connection(json.load(answer)["value"]["capabilities"]["webSocketUrl"])


    def pushing(self, tab: Tab, origin: str) -> Callable[[str], None]:
        """What gives the tab's service worker a push, as its push service would."""
        send, event = self.connection.send, "goog:cdp.ServiceWorker.workerRegistrationUpdated"
        send("session.subscribe", events=[event])
        send(
            "permissions.setPermission", descriptor={"name": "notifications"}, state="granted", origin=origin,
            userContext=tab.user_context,
        )  # fmt: skip
        session = send("goog:cdp.getSession", context=tab.id)["session"]

        def command(method: str, **parameters: Any) -> None:
            send("goog:cdp.sendCommand", method=method, params=parameters, session=session)

        command("ServiceWorker.enable")
        end = time.monotonic() + LIMIT
        known: list[dict[str, Any]] = []
        while not known:
            if time.monotonic() > end:
                raise AssertionError("there is no service worker")
            for happened in self.events(event):
                known += happened["params"]["registrations"]
        number = known[-1]["registrationId"]

        def push(text: str) -> None:
            command("ServiceWorker.deliverPushMessage", origin=origin, registrationId=number, data=text)

        return push


BROWSERS: dict[str, type[Browser]] = {"chromium": Chromium, "firefox": Firefox}
