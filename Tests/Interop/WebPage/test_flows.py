"""What people do with the page, in both browsers, at a gateway and a door of the test's own (scripts/test-page.sh)."""

import unittest
from pathlib import Path

import axe_core_python
from browsers import Browser
from flows import LOADED, FlowCase, fresh
from people import URL, Terminal, await_status, open_chat, parley, register, sign_in, write
from relay import Relay

AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text()
# The most that a first load may be, in bytes. How long it lasts is measured, by scripts/bench.sh page.
LOAD_BYTES = 300_000


class Flows(FlowCase):
    def test_people_chat(self) -> None:
        for _ in self.in_each():
            with self.browsers() as browser:
                self.chat(browser)

    def chat(self, browser: Browser) -> None:
        alice, bob = fresh("alice", "bob")
        one, two = browser.person(), browser.person(390, 844)
        register(one, alice, "Alice Moreau")
        register(two, bob, "Bob Tanaka")
        open_chat(one, bob)
        write(one, "Shall we run tomorrow?")
        await_status(one, "Shall we run tomorrow?", "Sent")
        # Who was never written to asks first.
        two.click(".entry=text:Message requests")
        two.click("button=text:Accept")
        two.sees("Shall we run tomorrow?", ".bubble")
        await_status(one, "Shall we run tomorrow?", "Read")
        two.fill(".composer-input", "Yes, at")
        one.sees("typing…", ".chat-status")
        two.type(" seven 🏃")
        two.press("Enter")
        one.sees("Yes, at seven 🏃", ".row.other")
        # By keys alone: to the message, its menu, the reply.
        one.press("Shift", "Tab")
        one.evaluate("() => document.querySelector('.row:last-child')?.focus()")
        one.press("Enter")
        one.click("[role=menuitem]=text:Reply")
        one.type("See you")
        one.press("Shift", "Enter")
        one.type("there")
        one.press("Enter")
        two.sees("See you\nthere", ".row.other")
        two.sees("Yes, at seven", ".quote")
        one.press("ArrowUp")
        one.fill(".composer-input", "See you there!")
        one.press("Enter")
        two.sees("See you there!", ".row.other")
        two.sees("edited", ".row.other .meta")
        one.evaluate("() => [...document.querySelectorAll('.row.other')].at(-1).focus()")
        one.press("Enter")
        one.click("[role=menuitem]=text:React with 👍")
        two.sees("👍", ".reaction")
        self.check_layout(two)
        self.picture(one, "page-chat")
        self.picture(two, "page-phone")
        one.evaluate("() => [...document.querySelectorAll('.row.own')].at(-1).focus()")
        one.press("Enter")
        one.click("[role=menuitem]=text:Delete for everybody")
        one.click("dialog[open] button=text:Delete")
        two.sees("Message deleted", ".row.other")
        two.sees_no("See you there!", ".bubble")

    def check_layout(self, tab: object) -> None:
        wide = tab.evaluate("() => document.documentElement.scrollWidth - innerWidth")  # type: ignore[attr-defined]
        self.assertLessEqual(wide, 0, "the page is wider than the screen")

    def test_a_terminal_takes_part(self) -> None:
        for _ in self.in_each():
            with self.browsers() as browser:
                alice, carol = fresh("alice", "carol")
                one = browser.person()
                register(one, alice)
                parley("user", "add", carol, "--message-privacy", "anyone")
                parley("device", "add", carol, "phone")
                with Terminal(f"{carol}/phone", alice) as terminal:
                    terminal.write("Hello from a terminal")
                    one.click(".entry=text:Message requests")
                    one.click("button=text:Accept")
                    one.sees("Hello from a terminal", ".row.other")
                    write(one, "Hello from a browser")
                    terminal.await_line(f"{alice}: Hello from a browser")
                    await_status(one, "Hello from a browser", "Read")

    def test_a_message_that_was_written_offline_goes_out_once(self) -> None:
        for _ in self.in_each():
            with self.browsers() as browser, Relay(URL) as line:
                alice, bob = fresh("alice", "bob")
                one, two = browser.person(), browser.person()
                register(one, alice, url=line.url)
                register(two, bob)
                open_chat(one, bob)
                write(one, "before")
                two.click(".entry=text:Message requests")
                two.click("button=text:Accept")
                two.sees("before", ".bubble")
                line.cut()
                one.sees("No connection", ".banner")
                write(one, "written offline")
                await_status(one, "written offline", "Waiting to be sent")
                line.restore()
                two.sees("written offline", ".row.other", limit=60)
                await_status(one, "written offline", "Sent", "Delivered", "Read")
                count = """() => [...document.querySelectorAll('.bubble')]
                    .filter(each => each.innerText.includes('written offline')).length"""
                self.assertEqual([one.evaluate(count), two.evaluate(count)], [1, 1])
                browser.failures()

    def test_axe_finds_nothing(self) -> None:
        for _ in self.in_each():
            for theme in ("light", "dark"):
                with self.browsers(theme) as browser:
                    self.look(browser, theme)

    def look(self, browser: Browser, theme: str) -> None:
        alice, bob = fresh("alice", "bob")
        one, two = browser.person(), browser.person()
        one.open(f"{URL}/")
        one.until("form", "() => !!document.querySelector('form')")
        found = {"sign-in": one.axe(AXE)}
        register(two, bob, "Bob Tanaka")
        register(one, alice, "Alice Moreau")
        open_chat(one, bob)
        write(one, "How it looks")
        found["chat"] = one.axe(AXE)
        if theme == "dark":
            self.picture(one, "page-dark")
        one.click(".chat-who")
        one.until("details", "() => !!document.querySelector('dialog[open]')")
        found["details"] = one.axe(AXE)
        one.click("dialog button=text:Safety number")
        one.until("digits", "() => !!document.querySelector('.digits')")
        found["safety number"] = one.axe(AXE)
        one.press("Escape")
        for section in ("groups", "activity", "notifications", "settings"):
            before = one.evaluate("() => document.title")
            one.click(f".rail a[href='#/{section}']")
            one.until(
                section,
                """before => document.title !== before && !document.querySelector('.busy')
                    && !!document.querySelector('h1')""",
                before,
            )
            found[section] = one.axe(AXE)
        self.assertEqual({name: problems for name, problems in found.items() if problems}, {})

    def test_boards_move_while_one_looks(self) -> None:
        for _ in self.in_each():
            with self.browsers() as browser:
                (alice,) = fresh("alice")
                one = browser.person()
                register(one, alice, "Alice Moreau")
                one.click(".rail a[href='#/groups']")
                one.click("button=text:New group")
                one.fill("dialog input[maxlength='100']", "Early birds")
                one.press("Enter")
                one.sees("Early birds", "main h1")
                group = one.evaluate("() => location.hash.split('/')[2]")
                one.click("button=text:Log a workout")
                one.fill("dialog input[maxlength='64']", "Running")
                one.press("Enter")
                one.sees("1", ".board-entry .score strong")
                self.picture(one, "page-board")
                one.open(f"{URL}/board/{group}")
                one.sees("Early birds", "h1")
                one.sees("Alice Moreau", ".board-entry")

    def test_the_first_load_is_small(self) -> None:
        for _ in self.in_each():
            with self.browsers() as browser:
                tab = browser.person()
                tab.open(f"{URL}/")
                tab.until("form", "() => !!document.querySelector('form')")
                self.assertLess(tab.evaluate(LOADED)[1], LOAD_BYTES)

    def test_a_device_is_linked(self) -> None:
        for _ in self.in_each():
            with self.browsers() as browser:
                (alice,) = fresh("alice")
                one, other = browser.person(), browser.person()
                register(one, alice)
                sign_in(other, alice)
                other.click(".rail a[href='#/settings']")
                other.click("button=text:Link it")
                code = other.until("code", "() => document.querySelector('dialog .copyable')?.textContent")
                one.click(".rail a[href='#/settings']")
                one.click("button=text:Link another device")
                one.fill("dialog input", code)
                one.click("dialog button=text:Continue")
                shown = "() => document.querySelector('.digits')?.getAttribute('aria-label')"
                digits = one.until("digits", shown)
                one.click("dialog button=text:Yes, link it")
                self.assertEqual(other.until("digits", shown), digits)
                other.click("dialog button=text:Yes, the same")
                other.sees("This browser is linked")


if __name__ == "__main__":
    unittest.main()
