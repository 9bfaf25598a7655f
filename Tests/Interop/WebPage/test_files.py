"""Pictures, files and recordings: to the byte at the other, gone when deleted, and nothing run of what is hostile."""

import base64
import hashlib
import os
import struct
import tempfile
import time
import unittest
import urllib.error
import urllib.request
import zlib
from pathlib import Path
from typing import Any

from bidi import LIMIT
from browsers import Browser
from flows import FlowCase, fresh, meet
from people import DATA, URL
from relay import Relay
from tab import Tab

# The client of this tab's device a second time, without a connection: what it sends, it sends by the door.
CLIENT = """
    const accounts = await import("/client/accounts.js")
    const client = await accounts.open((await accounts.kept())[0])
    client.outbox.isOnline = () => true
    const conversation = location.hash.split("/")[2]
    const {messages} = await client.messages.page(conversation)
"""
# The page's files and recordings as it has them, in the order in which they were made.
WATCH = """() => {
    window.blobs = []
    const make = URL.createObjectURL
    URL.createObjectURL = (blob) => { window.blobs.push(blob); return make(blob) }
    const start = MediaRecorder.prototype.start
    MediaRecorder.prototype.start = function (...given) {
        const parts = window.recorded = []
        this.addEventListener("dataavailable", ({data}) => parts.push(data))
        return start.apply(this, given)
    }
}"""
DIGEST = """async (name) => {
    const blob = name === "recorded" ? new Blob(window.recorded) : window.blobs.at(-1)
    if (!blob) return null
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer()))
    const hex = Array.from(digest, byte => byte.toString(16).padStart(2, "0")).join("")
    return {type: blob.type, size: blob.size, digest: hex}
}"""


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int) -> bytes:
    """A sky, each another by a few dots."""
    across = [120 + 90 * x // width for x in range(width)]
    rows = b"".join(b"\0" + bytes(
        part for green in across for part in (60 + 150 * y // height, green, 200)) for y in range(height))
    rows = rows[:-12] + os.urandom(12)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


SCRIPT = b"<script>window.ran = 1; parent.ran = 1; top.ran = 1</script>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="window.ran = 1">' + SCRIPT + b"</svg>"
HTML = b"<!DOCTYPE html><title>ran</title><img src=x onerror='window.ran = 1'>" + SCRIPT
# Its header says five gigabytes of pixels.
BOMB = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 36000, 36000, 8, 6, 0, 0, 0)) + chunk(b"IDAT", b"")
# Type, name, the size that is claimed if it is another, and the bytes.
HOSTILE = [
    ("image", "picture.svg", None, SVG), ("image", "picture.png", None, b'<?xml version="1.0"?>' + SVG),
    ("image", "picture.jpg", None, HTML), ("image", "../../../etc/passwd", None, png(8, 8)[:40] + HTML),
    ("image", "C:\\Windows\\system.ini", None, b"\xff\xd8\xff\xe0" + png(8, 8)),
    ("image", "\u202egnp.bomb", None, BOMB), ("image", "webp.webp", None, b"RIFF\xff\xff\xff\x7fWEBPVP8X" + HTML),
    ("image", "gif.gif", None, b"GIF89a\x00\x00\x08\x00" + HTML),
    ("file", "<img src=x onerror=ran=1>.html", None, HTML), ("file", ".\0\r\n.htaccess", None, HTML),
    # A hundred megabytes as somebody's word for some bytes.
    ("image", "thumbnail.png", 100_000_000, png(8, 8)), ("voice", "voice.ogg", None, HTML),
]  # fmt: skip
NAMES = [
    "picture.svg", "picture.png", "picture.jpg", "passwd", "system.ini", "gnp.bomb", "webp.webp", "gif.gif",
    "img src=x onerror=ran=1.html", "htaccess",
]  # fmt: skip
SEND = f"""async (type, name, size, text) => {{
    {CLIENT}
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    // The content as it stands in the message, with more in it than a reader knows.
    const prepared = client.outbox.prepared.bind(client.outbox)
    client.outbox.prepared = (draft) => {{
        const content = JSON.parse(draft.content)
        if (size) content.file.size = size
        return prepared({{...draft, content: JSON.stringify({{...content, thumbnail: "A".repeat(40000)}})}})
    }}
    const file = new Blob([bytes], {{type: "image/png"}})
    await client.attachments.send(conversation, file, {{type, name, width: 64, height: 64, durationMs: 1000}})
    // One after the other: clients that send side by side have no order.
    while ((await client.attachments.uploads(conversation)).length > 0) {{
        await new Promise((resolve) => setTimeout(resolve, 10))
    }}
}}"""


def blob_status(blob: str, token: str) -> int:
    """What the door answers for it."""
    request = urllib.request.Request(f"{URL}/api/v1/blobs/{blob}", headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def blobs_of(tab: Tab) -> dict[str, Any]:
    """The blobs of the messages that this tab's device can open, and its token."""
    return tab.evaluate(
        f"""async () => {{
            {CLIENT}
            const blobs = messages.map(({{content}}) => content?.file?.url.split("/").at(-1)).filter(Boolean)
            return {{blobs, token: client.context.credentials.token}}
        }}"""
    )


def stored() -> int:
    """The bytes of all blobs that the door has, also of those that it has not whole."""
    return sum(path.stat().st_size for path in (DATA / "blobs").rglob("*") if path.is_file())


def await_stored(before: int) -> None:
    end = time.monotonic() + LIMIT
    while stored() < before + 500_000:
        if time.monotonic() > end:
            raise AssertionError("the door has nothing of the upload")
        time.sleep(0.03)


def delete_last(tab: Tab) -> None:
    """Of those that are not deleted."""
    tab.evaluate("() => [...document.querySelectorAll('.row.own:not(:has(.kind-removed))')].at(-1).focus()")
    tab.press("Enter")
    tab.click("[role=menuitem]=text:Delete for everybody")
    tab.click("dialog[open] button=text:Delete")


class Files(FlowCase):
    def test_files_arrive_to_the_byte_and_go_when_deleted(self) -> None:
        for _ in self.in_each():
            with self.browsers() as browser, tempfile.TemporaryDirectory() as directory:
                self.exchange(browser, Path(directory))

    def exchange(self, browser: Browser, directory: Path) -> None:
        alice, bob = fresh("alice", "bob")
        one, two = browser.person(), browser.person()
        meet(one, alice, two, bob)
        two.evaluate(WATCH)
        one.evaluate(WATCH)

        picture = directory / "morning.png"
        picture.write_bytes(png(320, 200))
        one.choose_files("input[type=file]", picture)
        two.until("picture", "() => document.querySelector('.row.other .picture img')?.naturalWidth === 320")
        self.assertEqual(two.evaluate(DIGEST, "shown"), self.described(picture.read_bytes(), "image/png"))

        # A name that would be a path, ends a line, and turns its end around.
        file = directory / "plan\n‮gpj.exe"
        file.write_bytes(os.urandom(700_001))
        one.choose_files("input[type=file]", file)
        two.sees("plangpj.exe", ".row.other .file")
        with browser.downloads(two, directory / "saved") as saved:
            two.click(".row.other .file")
            name, data = saved()
        self.assertEqual((name, data == file.read_bytes()), ("plangpj.exe", True))
        self.assertEqual(two.evaluate(DIGEST, "shown"), self.described(file.read_bytes(), "application/octet-stream"))

        one.click("[aria-label='Record a voice message']")
        one.sees("0:01", "[role=timer]")
        one.click("[aria-label='Send the recording']")
        two.click(".row.other .recording [aria-label=Play]")
        two.until("sound", "() => Number(document.querySelector('.row.other .recording input').value) > 0")
        recorded, played = one.evaluate(DIGEST, "recorded"), two.evaluate(DIGEST, "shown")
        self.assertGreater(recorded["size"], 100)
        self.assertEqual((played["digest"], played["size"]), (recorded["digest"], recorded["size"]))
        self.assertTrue(played["type"].startswith("audio/"), played)
        self.picture(two, "page-files")

        tokens = [blobs_of(tab)["token"] for tab in (one, two)]
        blobs = blobs_of(two)["blobs"]
        self.assertEqual([[blob_status(each, token) for token in tokens] for each in blobs], [[200, 200]] * 3)
        for count in (1, 2, 3):
            delete_last(one)
            for tab, side in ((one, "own"), (two, "other")):
                removed = f"() => document.querySelectorAll('.row.{side} .kind-removed').length === {count}"
                tab.until(f"{count} deleted", removed)
        self.assertEqual([[blob_status(each, token) for token in tokens] for each in blobs], [[404, 404]] * 3)

    def test_an_interrupted_upload_goes_on_and_is_sent_once(self) -> None:
        for _ in self.in_each():
            with self.browsers() as browser, tempfile.TemporaryDirectory() as directory, Relay(URL) as line:
                self.interrupt(browser, Path(directory), line)

    def interrupt(self, browser: Browser, directory: Path, line: Relay) -> None:
        alice, bob = fresh("alice", "bob")
        one, two = browser.person(), browser.person()
        meet(one, alice, two, bob, url=line.url)
        two.evaluate(WATCH)
        for name, interrupt in (("reloaded.bin", one.reload), ("cut.bin", line.cut)):
            file = directory / name
            file.write_bytes(os.urandom(3_900_000))
            line.hangs.clear()
            line.hang_after(2_500_000)
            before = stored()
            one.choose_files("input[type=file]", file)
            self.assertTrue(line.hangs.wait(120), "the upload did not begin")
            one.sees(name, ".uploads")
            # What is still under way is lost with the connection.
            await_stored(before)
            interrupt()
            line.restore()
            two.sees(name, ".row.other .file", limit=120)
            one.until("end of the upload", "() => !document.querySelector('.uploads progress')")
            self.assertGreater(line.offsets[-1], 0, f"{name} has begun anew: {line.offsets}")
            with browser.downloads(two, directory / "saved") as saved:
                two.evaluate("() => [...document.querySelectorAll('.row.other .file')].at(-1).click()")
                self.assertEqual(saved(), (name, file.read_bytes()))
        counts = [
            tab.evaluate("() => [...document.querySelectorAll('.row .file-name')].map(name => name.textContent)")
            for tab in (one, two)
        ]
        self.assertEqual(counts, [["reloaded.bin", "cut.bin"]] * 2)
        kept = f"async () => {{ {CLIENT} return (await client.context.database.transaction(['uploads'], 'readonly', " \
            "transaction => transaction.all('uploads'))).length }"
        self.assertEqual(one.evaluate(kept), 0)
        # Connections that were cut.
        browser.failures()

    @staticmethod
    def described(data: bytes, kind: str) -> dict[str, Any]:
        return {"type": kind, "size": len(data), "digest": hashlib.sha256(data).hexdigest()}

    def test_nothing_of_a_hostile_file_is_run_or_shown(self) -> None:
        for _ in self.in_each():
            with self.browsers() as browser, tempfile.TemporaryDirectory() as directory:
                self.attack(browser, Path(directory))

    def attack(self, browser: Browser, directory: Path) -> None:
        alice, bob = fresh("alice", "bob")
        # So tall that all rows are there.
        one, two = browser.person(), browser.person(1280, 3000)
        meet(one, alice, two, bob)
        two.evaluate(WATCH)
        before = two.evaluate("() => performance.getEntriesByType('resource').length")
        for kind, name, size, data in HOSTILE:
            one.evaluate(SEND, kind, name, size, base64.b64encode(data).decode())
        rows = len(HOSTILE)
        two.until("all", f"() => document.querySelectorAll('.row.other').length === {rows + 1}")
        # What would be large is only fetched when one asks for it, and then is not what it says.
        two.click(".row.other button.fetch")
        two.sees("The file is damaged", ".row.other .picture")
        two.click(".row.other .recording [aria-label=Play]")
        two.sees("This is no recording.", ".row.other .recording")
        two.until(
            "plain icons",
            """(plain) => document.querySelectorAll(".row.other .file").length === plain
                && !document.querySelector(".row.other .spinner, .row.other img, .row.other audio, .row svg script")""",
            rows - 2,
        )
        names = two.evaluate("() => [...document.querySelectorAll('.row.other .file-name')].map(e => e.textContent)")
        self.assertEqual(names, NAMES)
        with browser.downloads(two, directory / "saved") as saved:
            for index, (_, _, _, data) in enumerate(HOSTILE[: rows - 2]):
                two.evaluate("index => document.querySelectorAll('.row.other .file')[index].click()", index)
                name, found = saved()
                self.assertEqual((Path(name).suffix, found == data), (Path(NAMES[index]).suffix, True))
        kinds = two.evaluate("() => [...new Set(window.blobs.map(({type}) => type))]")
        self.assertLessEqual(set(kinds), {"application/octet-stream", "image/png"})
        resources = "(before) => performance.getEntriesByType('resource').slice(before).map(({name}) => name)"
        asked = two.evaluate(resources, before)
        self.assertEqual([each for each in asked if not each.startswith((URL, f"blob:{URL}"))], [])
        self.assertEqual([tab.evaluate("() => window.ran ?? null") for tab in (one, two)], [None, None])
        two.reload()
        two.until("all", f"() => document.querySelectorAll('.row.other .file').length === {rows - 2}")
        self.assertEqual(two.evaluate("() => [window.ran ?? null, document.title.includes('Parley')]"), [None, True])
        # A picture that is none is refused by the browser itself, which says so.
        browser.failures()


if __name__ == "__main__":
    unittest.main()
