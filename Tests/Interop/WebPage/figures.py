"""Figures of the page in each browser, as a table: scripts/bench.sh page. What they are is no pass and no failure."""

import gzip
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

from browsers import BROWSERS, Browser
from flows import LOADED, NAMES, fresh, meet
from people import URL
from tab import Tab

MESSAGES = int(os.environ.get("PARLEY_MESSAGES", "10000"))
ROUNDS = 5
# When the page can be used: by the page's own clock, which began with the request.
READY = """(selector) => new Promise(resolve => {
    const look = () => document.querySelector(selector) ? resolve(performance.now()) : setTimeout(look, 2)
    look()
})"""
# Sealed and sent by the page's own client, side by side; what waits for an answer is not shown.
FILL = """async (count) => {
    const accounts = await import("/client/accounts.js")
    const {sealedFields} = await import("/client/sealer.js")
    const client = await accounts.open((await accounts.kept())[0])
    const {context, exchange, delivery, logs} = client
    const conversation = location.hash.split("/")[2]
    const members = logs.get(conversation).object.members.map(({user}) => user)
    await exchange.freshen([...members, context.address.user])
    const recipients = context.book.recipients(members)
    let next = 0
    const send = async () => {
        while (next < count) {
            const number = next++
            const text = `${number} ` + "and some words more ".repeat(number * 7 % 9)
            const draft = {
                id: crypto.randomUUID(), conversation, kind: "message", type: "text", content: JSON.stringify({text}),
                target: null, replyTo: null, expiresIn: null, blobs: [],
            }
            const fields = await sealedFields(delivery.cipher, context.address, draft, true, recipients)
            await context.door.ask("messages/send", {id: draft.id, conversation_id: conversation, ...fields})
        }
    }
    await Promise.all(Array.from({length: 8}, send))
}"""
# Frames while the list moves by so many pixels in each, to its edge if there is nothing beyond it.
SCROLL = """([step, most, isWhole]) => new Promise(resolve => {
    const list = document.querySelector(".rows-scroll")
    const times = []
    let last = performance.now()
    const frame = now => {
        times.push(now - last)
        last = now
        list.scrollTop += step
        const isOver = times.length >= most || isWhole && (step < 0 ? list.scrollTop <= 0
            : list.scrollTop + list.clientHeight >= list.scrollHeight - 1)
        if (isOver) resolve({times: times.slice(2), rows: document.querySelectorAll(".row").length,
            total: Number(document.querySelector(".row")?.ariaSetSize ?? 0)})
        else requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
})"""


def median(measure: Callable[[], float]) -> float:
    return statistics.median(measure() for _ in range(ROUNDS))


def cold(tab: Tab, browser: Browser, selector: str) -> float:
    """Milliseconds until there is such an element, with nothing of the page in the browser's cache."""
    browser.connection.send("network.setCacheBehavior", cacheBehavior="bypass", contexts=[tab.id])
    tab.open(f"{URL}/", wait="none")
    return tab.evaluate(READY, selector)


def kilobytes(tab: Tab) -> str:
    """Of the files that were loaded, as they are and as the door sends them; no browser names what its worker brings."""
    plain, line = 0, 0
    for path in dict.fromkeys(tab.evaluate(LOADED)[0]):
        request = Request(f"{URL}{path}", headers={"Accept-Encoding": "gzip"})
        with urlopen(request, timeout=60) as response:
            body = response.read()
            line += len(body)
            plain += len(gzip.decompress(body) if response.headers["Content-Encoding"] == "gzip" else body)
    return f"{plain / 1000:.0f}, {line / 1000:.0f}"


def shown(times: list[float]) -> str:
    times = sorted(times)
    middle, last = times[len(times) // 2], times[int(0.99 * len(times))]
    return f"{middle:.1f} / {last:.1f} / {times[-1]:.0f} of {len(times)}"


def measured(browser: Browser) -> dict[str, str]:
    figures = {}
    alice, bob = fresh("alice", "bob")
    one, two = browser.person(), browser.person()
    figures["first screen, cold: ms"] = f"{median(lambda: cold(one, browser, 'form input')):.0f}"
    figures["first screen: kB of files, over the line"] = kilobytes(one)
    meet(one, alice, two, bob)
    figures["chats of who is signed in, cold: ms"] = f"{median(lambda: cold(two, browser, '.entries .entry')):.0f}"
    figures["chats: kB of files, over the line"] = kilobytes(two)
    two.open("about:blank")
    begin = time.monotonic()
    one.evaluate(FILL, MESSAGES, limit=1200)
    figures[f"{MESSAGES} messages sealed and sent: s"] = f"{time.monotonic() - begin:.0f}"
    two.front()
    two.open(f"{URL}/")
    two.click(".entry=text:Alice Moreau")
    two.until("messages", "() => document.querySelectorAll('.row').length > 5")
    # Up to the first message, its pages fetched, opened and kept meanwhile; then down again, all of it there.
    begin, whole = time.monotonic(), 0
    up: list[dict[str, Any]] = []
    while whole < MESSAGES and time.monotonic() - begin < 900:
        up.append(two.evaluate(SCROLL, [-400, 120, False], limit=600))
        whole = up[-1]["total"]
    figures["messages read to the first: s"] = f"{time.monotonic() - begin:.0f} ({whole} there)"
    figures["frames while they come, p50 / p99 / most: ms"] = shown([each for part in up for each in part["times"]])
    for name, step in (("down", 120), ("up", -120)):
        found = two.evaluate(SCROLL, [step, 1500, True], limit=600)
        figures[f"frames {name} through them, p50 / p99 / most: ms"] = shown(found["times"])
        figures["rows in the document"] = str(found["rows"])
    return figures


def main() -> None:
    found = {}
    for name in NAMES:
        with TemporaryDirectory() as directory, BROWSERS[name](Path(directory)) as browser:
            found[name] = measured(browser)
    print(f"| | {' | '.join(found)} |\n| --- |{' ---: |' * len(found)}")
    for line in dict.fromkeys(key for figures in found.values() for key in figures):
        print(f"| {line} | {' | '.join(figures.get(line, '') for figures in found.values())} |")


if __name__ == "__main__":
    main()
