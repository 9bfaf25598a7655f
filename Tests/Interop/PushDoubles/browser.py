"""A real Firefox without a window, with a page whose service worker says what it was pushed."""

import contextlib
import http.server
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from services import LIMIT

PAGE = "<!doctype html><title>Push</title><p>A page that is subscribed.</p>"
# Nothing here opens anything but the push itself: that is the browser's own code.
WORKER = """
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", event => event.waitUntil(self.clients.claim()));
self.addEventListener("push", event => event.waitUntil(
    fetch("/pushed", {method: "POST", body: event.data ? event.data.text() : ""})));
"""
SUBSCRIBE = """
const done = arguments[arguments.length - 1];
(async () => {
    await navigator.serviceWorker.register("/worker.js");
    const registration = await navigator.serviceWorker.ready;
    const options = {userVisibleOnly: true};
    if (arguments[0]) options.applicationServerKey = arguments[0];
    return (await registration.pushManager.subscribe(options)).toJSON();
})().then(value => done({value}), error => done({error: String(error)}));
"""


def preferences(push_port: int) -> dict[str, bool | int | str]:
    return {
        "dom.push.serverURL": f"ws://127.0.0.1:{push_port}/",
        "dom.push.testing.allowInsecureServerURL": True,
        "dom.push.testing.ignorePermission": True,
        "dom.push.connection.enabled": True,
        "dom.push.enabled": True,
        # A page may be pushed more often than it shows something.
        "dom.push.maxQuotaPerSubscription": 1000,
        "permissions.default.desktop-notification": 1,
        "network.proxy.type": 0,
        "network.manage-offline-status": False,
        "network.captive-portal-service.enabled": False,
        "network.connectivity-service.enabled": False,
        "marionette.port": 0,
        "browser.shell.checkDefaultBrowser": False,
        "browser.startup.page": 0,
        "datareporting.policy.dataSubmissionEnabled": False,
        "toolkit.telemetry.enabled": False,
        "app.update.disabledForTesting": True,
        "app.normandy.enabled": False,
        "services.settings.server": "data:,",
    }


class Site:
    """The page, over http on the loopback, which browsers take for as good as https."""

    def __init__(self) -> None:
        self.pushed: list[str] = []
        self._changed = threading.Condition()
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                is_worker = self.path == "/worker.js"
                self._answer(WORKER if is_worker else PAGE, "text/javascript" if is_worker else "text/html")

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                with site._changed:
                    site.pushed.append(body)
                    site._changed.notify_all()
                self._answer("", "text/plain")

            def _answer(self, text: str, kind: str) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    def __enter__(self) -> "Site":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://localhost:{self._server.server_port}/"

    def until(self, what: str, condition: Callable[[list[str]], Any]) -> Any:
        with self._changed:
            if not self._changed.wait_for(lambda: condition(self.pushed), LIMIT):
                raise TimeoutError(f"the browser was not pushed {what}; it was pushed {self.pushed[-3:]}")
            return condition(self.pushed)


class Marionette:
    """Firefox's own protocol for tests: `LENGTH:[0, id, command, parameters]`, and `[1, id, error, result]` back."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), LIMIT)
        self._file = self._socket.makefile("rb")
        self._numbers = itertools.count(1)
        self._read()
        self.send("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": True}}})
        self.send("WebDriver:SetTimeouts", {"script": LIMIT * 1000, "pageLoad": LIMIT * 1000})

    def send(self, command: str, parameters: dict[str, Any]) -> Any:
        text = json.dumps([0, next(self._numbers), command, parameters]).encode()
        self._socket.sendall(b"%d:%b" % (len(text), text))
        _, _, error, result = self._read()
        if error:
            raise RuntimeError(f"{command}: {error['error']}: {error['message']}")
        return result

    def run(self, script: str, *arguments: Any) -> Any:
        """The script's last argument is what it calls with its result: `{value}` or `{error}`."""
        fields = {"script": script, "args": list(arguments), "newSandbox": True}
        result = self.send("WebDriver:ExecuteAsyncScript", fields)["value"]
        if "error" in result:
            raise RuntimeError(result["error"])
        return result["value"]

    def _read(self) -> Any:
        length = b""
        while (byte := self._file.read(1)) != b":":
            if not byte:
                raise ConnectionError("Firefox has closed the connection")
            length += byte
        return json.loads(self._file.read(int(length)))

    def close(self) -> None:
        self._file.close()
        self._socket.close()


class Firefox:
    """With a profile of its own. Use it as a context manager."""

    def __init__(self, directory: Path, push_port: int) -> None:
        self._profile = directory / "profile"
        self._home = directory / "home"
        self._log = directory / "firefox.log"
        for each in (self._profile, self._home):
            each.mkdir(parents=True)
        lines = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in preferences(push_port).items()
        ]
        (self._profile / "user.js").write_text("\n".join(lines))

    @staticmethod
    def program() -> str | None:
        return shutil.which("firefox-esr")

    def __enter__(self) -> "Firefox":
        program = self.program()
        assert program
        environment = {
            "HOME": str(self._home), "PATH": os.environ["PATH"], "MOZ_HEADLESS": "1", "MOZ_CRASHREPORTER_DISABLE": "1",
            # Where a namespace cannot be made inside another.
            "MOZ_DISABLE_CONTENT_SANDBOX": "1", "MOZ_DISABLE_SOCKET_PROCESS_SANDBOX": "1",
            "MOZ_DISABLE_GMP_SANDBOX": "1",
        }  # fmt: skip
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", program, "--headless", "--marionette", "--no-remote",
                 "--profile", str(self._profile)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, process_group=0,
            )  # fmt: skip
        try:
            self.marionette = Marionette(self._port())
        except BaseException as error:
            error.add_note(self._log.read_text(errors="replace")[-2000:])
            self._end()
            raise
        return self

    def _port(self) -> int:
        file, end = self._profile / "MarionetteActivePort", time.monotonic() + LIMIT
        while not (file.exists() and (text := file.read_text().strip())):
            if self._process.poll() is not None or time.monotonic() > end:
                raise ChildProcessError("Firefox did not start")
            time.sleep(0.05)
        return int(text)

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError, RuntimeError):
            self.marionette.send("Marionette:Quit", {"flags": ["eForceQuit"]})
        self.marionette.close()
        self._end()

    def _end(self) -> None:
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            # Its content processes are in the same group.
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def subscribe(self, url: str, server_key: str | None = None) -> dict[str, str]:
        """The fields of a `push/register`, as the page gets them from the browser."""
        self.marionette.send("WebDriver:Navigate", {"url": url})
        made = self.marionette.run(SUBSCRIBE, server_key)
        return {"provider": "webpush", "endpoint": made["endpoint"], **made["keys"]}
