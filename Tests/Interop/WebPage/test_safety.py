"""Safety numbers: the same on both screens, by digits and by a code that a reader of others' making reads."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from browsers import Browser
from flows import FlowCase, fresh, meet
from tab import Tab

DIGITS = "() => document.querySelector('.digits')?.getAttribute('aria-label')"
CODE = """async (user) => {
    const accounts = await import("/client/accounts.js")
    const client = await accounts.open((await accounts.kept())[0])
    return (await client.keys.safetyNumber(user)).code
}"""


def read_code(tab: Tab, path: Path) -> str:
    """The QR code on the screen, by zbar, as a camera would see it."""
    tab.shot(path)
    done = subprocess.run(["zbarimg", "--quiet", "--raw", path], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise AssertionError(f"there is no QR code to read: {done.stderr.strip()}")
    return done.stdout.rstrip("\n")


def show_number(tab: Tab) -> str:
    tab.click(".chat-who")
    tab.click("dialog button=text:Safety number")
    return tab.until("digits", DIGITS)


def compare(tab: Tab, code: str) -> None:
    tab.fill("dialog .form input", code)
    tab.click("dialog button=text:Compare")


class Safety(FlowCase):
    def test_both_see_the_same_number_and_read_it(self) -> None:
        for _ in self.in_each():
            for theme in ("light", "dark"):
                with self.browsers(theme) as browser, tempfile.TemporaryDirectory() as directory:
                    self.look(browser, Path(directory) / "screen.png")

    def look(self, browser: Browser, screen: Path) -> None:
        alice, bob = fresh("alice", "bob")
        one, two = browser.person(), browser.person(390, 844)
        meet(one, alice, two, bob)
        digits = [show_number(tab) for tab in (one, two)]
        self.assertEqual(digits[0], digits[1])
        self.assertRegex(digits[0], r"\A(\d{5} ){11}\d{5}\Z")
        codes = [read_code(tab, screen) for tab in (one, two)]
        self.assertEqual(codes, [one.evaluate(CODE, bob), two.evaluate(CODE, alice)])
        two.click("dialog summary=text:Compare by text")
        compare(two, codes[0][:-1] + ("A" if codes[0][-1] != "A" else "B"))
        result = "() => document.querySelector('dialog [role=status]')?.textContent"
        two.until("refusal", f"() => /differ|no such code/.test(({result})())")
        compare(two, codes[0])
        two.sees("They are the same", "dialog [role=status]")
        two.press("Escape")
        show_number(two)
        two.sees("You have compared them.", "dialog")


if __name__ == "__main__":
    unittest.main()
