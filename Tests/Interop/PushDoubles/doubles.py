"""Push services for tests, in one process: Apple's, Google's, a Web Push service and a receiver of webhooks.

`doubles.py DIRECTORY` writes certificates, keys, `records.jsonl` and `settings.json` (what stands in a gateway's
`parleyd.json` so that it uses them) into the directory, prints one line of JSON with the ports when all are listening,
and ends when its standard input does. `control.py` says what a test can ask for.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from apns import APNs
from authority import make_apple_account, make_certificates, make_google_account
from autopush import Autopush
from connections import serve, tls
from control import Control
from desk import Desk
from exchange import Plans
from fcm import FCM, TOKEN_PATH
from http1 import HTTP1
from http2 import ByALPN
from records import Records
from webhook import Webhook
from webpush import WebPush


async def run(directory: Path, ended: asyncio.Event) -> None:
    apple, google = make_apple_account(), make_google_account()
    certificates = make_certificates(directory)
    plans, records = Plans(), Records(directory / "records.jsonl")
    apns, fcm, webpush, webhook = APNs(apple), FCM(google), WebPush(), Webhook()
    control = Control(apns, fcm, webpush, webhook, plans, records)

    def context(*protocols: str):
        return tls(str(certificates.certificate), str(certificates.key), list(protocols))

    desks = {service.name: Desk(service, plans, records) for service in (apns, fcm, webpush, webhook)}
    both = ("h2", "http/1.1")
    _, apns_port = await serve(lambda: ByALPN(desks["apns"], needs_http2=True), context("h2"))
    _, fcm_port = await serve(lambda: ByALPN(desks["fcm"], needs_http2=False), context(*both))
    _, webpush_port = await serve(lambda: ByALPN(desks["webpush"], needs_http2=False), context(*both))
    _, hook_port = await serve(lambda: ByALPN(desks["webhook"], needs_http2=False), context(*both))
    _, plain_hook_port = await serve(lambda: HTTP1(desks["webhook"]))
    server = await asyncio.start_server(control.serve, "127.0.0.1", 0)
    autopush = Autopush(webpush)
    socket_port = await autopush.start()

    webpush.origin = f"https://localhost:{webpush_port}"
    fcm.token_uri = f"https://localhost:{fcm_port}{TOKEN_PATH}"
    control.hook_urls = {"https": f"https://localhost:{hook_port}", "http": f"http://127.0.0.1:{plain_hook_port}"}
    settings = {
        "apns_key_file": str(apple.write(directory)), "apns_key_id": apple.key_id, "apns_team_id": apple.team_id,
        "apns_url": f"https://localhost:{apns_port}", "fcm_account_file": str(google.write(directory, fcm.token_uri)),
        "fcm_url": f"https://localhost:{fcm_port}", "vapid_subject": "mailto:push@parley.example",
        "push_trust_file": str(certificates.authority), "push_allow_private_endpoints": True,
    }  # fmt: skip
    (directory / "settings.json").write_text(json.dumps(settings, indent=2))
    control_port = server.sockets[0].getsockname()[1]
    ports = {
        "control": control_port, "apns": apns_port, "fcm": fcm_port, "webpush": webpush_port, "webhook": hook_port,
        "plain_webhook": plain_hook_port, "autopush": socket_port,
    }  # fmt: skip
    print(json.dumps(ports | {"settings": settings}), flush=True)
    await ended.wait()
    records.close()


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    directory = parser.parse_args().directory.resolve()
    directory.mkdir(parents=True, exist_ok=True)
    ended, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, ended.set)
    # Whoever started this holds the other end, and is gone when it is closed.
    loop.add_reader(sys.stdin.fileno(), lambda: os.read(sys.stdin.fileno(), 4096) or ended.set())
    await run(directory, ended)


if __name__ == "__main__":
    asyncio.run(main())
