"""Each kind of message, from the page to a terminal, whose client is the other one, and back where it sends it."""

import base64
import tempfile
import unittest
from pathlib import Path

from browsers import Browser
from flows import FlowCase, fresh
from people import Terminal, parley, register
from test_files import CLIENT, png

# Cards as other apps send them, by the page's client.
PLANS = f"""async () => {{
    {CLIENT}
    const diet = {{plan_id: "lean-7", plan_title: "Lean spring", calories: 1800, days: 1, summary: "Mostly plants"}}
    const workout = {{plan_id: "five-k", plan_title: "Five kilometres", days: 30, minutes: 25, summary: null}}
    for (const [type, card] of [["diet_plan", diet], ["workout_plan", workout]]) {{
        await client.messages.send(conversation, {{type, content: {{card}}}})
    }}
}}"""
FILES = f"""async (picture) => {{
    {CLIENT}
    const bytes = Uint8Array.from(atob(picture), (character) => character.charCodeAt(0))
    const files = [
        [new Blob([bytes]), {{type: "image", name: "hill.png", width: 64, height: 48, caption: "From above"}}],
        [new Blob(["some words"]), {{type: "file", name: "notes.txt"}}],
        [new Blob(["OggS no sound"]), {{type: "voice", name: "Voice message", durationMs: 3000}}],
    ]
    for (const [file, description] of files) await client.attachments.send(conversation, file, description)
}}"""


class Cards(FlowCase):
    def test_each_kind_is_shown_here_and_at_a_terminal(self) -> None:
        for _ in self.in_each():
            with self.browsers() as browser:
                self.exchange(browser)

    def exchange(self, browser: Browser) -> None:
        alice, carol = fresh("alice", "carol")
        # So tall that all rows are there.
        one = browser.person(1280, 3000)
        register(one, alice, "Alice Moreau")
        parley("user", "add", carol, "--message-privacy", "anyone")
        parley("device", "add", carol, "phone")
        with Terminal(f"{carol}/phone", alice) as terminal:
            terminal.write("Hello from a terminal")
            one.click(".entry=text:Message requests")
            one.click("button=text:Accept")
            one.sees("Hello from a terminal", ".row.other")
            one.evaluate(PLANS)
            terminal.await_text("[diet plan] Lean spring")
            terminal.await_text("[workout plan] Five kilometres")
            one.evaluate(FILES, base64.b64encode(png(64, 48)).decode())
            terminal.await_text("[image] hill.png, ")
            terminal.await_text("[file] notes.txt, 10 bytes")
            terminal.await_text("[voice] 0:03")
            one.click("[aria-label=Attach]")
            one.click("[role=menuitem]=text:Challenge")
            one.click("dialog button[type=submit]")
            terminal.await_text("[challenge] Most steps")
            self.check_own(one)

            device = f"{carol}/phone"
            plan = ("plan", "share", "--as", device, "--to", alice)
            parley(*plan, "diet", "keto-3", "--title", "Less sugar", "--calories", "2100", "--days", "14")
            parley(*plan, "workout", "hills", "--title", "Up the hills", "--summary", "Slowly at first")
            challenge = ("challenge", "create", "--as", device, "--to", alice)
            parley(*challenge, "steps", "60000", "--days", "1", "--card", "Sixty thousand")
            one.sees("Less sugar", ".row.other .card.diet")
            one.sees("2,100 kcal a day", ".row.other .card.diet")
            one.sees("14 days", ".row.other .card.diet")
            one.sees("Slowly at first", ".row.other .card.workout")
            one.sees("Sixty thousand", ".row.other .card.challenge")
            one.sees("1 day", ".row.other .card.challenge")
            one.click(".row.other .card.challenge button=text:Accept")
            one.sees("1 day left", ".row.other .card.challenge")
        # The chat has the device's messages to itself.
        self.send_files(device, alice)
        one.sees("From below", ".row.other .kind-image")
        one.until("picture", "() => document.querySelector('.row.other .kind-image img')?.naturalWidth === 64")
        one.sees("route.txt", ".row.other .file")
        one.sees("0:02", ".row.other .recording")
        one.resize(1280, 800)
        self.picture(one, "page-cards")

    def send_files(self, device: str, to: str) -> None:
        with tempfile.TemporaryDirectory() as directory:
            for name, content, *options in (
                ("slope.png", png(64, 48), "--image", "From below"),
                ("route.txt", b"left, left, right", "--file"),
                ("note.ogg", b"OggS no sound either", "--voice", "--duration", "2"),
            ):
                path = Path(directory) / name
                path.write_bytes(content)
                kind, *rest = options
                parley("send", "--as", device, "--to", to, kind, str(path), *rest)

    def check_own(self, tab: object) -> None:
        see = tab.sees  # type: ignore[attr-defined]
        see("1,800 kcal a day", ".row.own .card.diet")
        see("1 day", ".row.own .card.diet")
        see("Mostly plants", ".row.own .card.diet")
        see("30 days", ".row.own .card.workout")
        see("notes.txt", ".row.own .file")
        see("0:03", ".row.own .recording")
        see("From above", ".row.own .kind-image")
        see("Waiting for", ".row.own .card.challenge")


if __name__ == "__main__":
    unittest.main()
