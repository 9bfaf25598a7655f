"""What a browser keeps of somebody who signs out, who deletes the account, or whose message is gone: nothing."""

import os
import tempfile
import unittest
from pathlib import Path

from browsers import Browser
from flows import FlowCase, fresh, meet
from people import PASSWORD, URL, register, write
from relay import Relay
from tab import Tab
from test_files import png

# The databases of devices, the devices that are listed, and the notifications that are shown.
REMAINS = """async () => {
    const registration = await navigator.serviceWorker.getRegistration()
    return [
        (await indexedDB.databases()).map(({name}) => name).filter((name) => name.startsWith("parley ")),
        (await (await import("/client/accounts.js")).kept()).map(({user}) => user),
        (await registration?.getNotifications() ?? []).length,
    ]
}"""
NOTIFY = """async () => {
    const registration = await navigator.serviceWorker.ready
    await registration.showNotification("A secret")
    return (await registration.getNotifications()).length
}"""
# The addresses of blobs that are not given up yet.
WATCH = """() => {
    window.urls = new Set()
    const [make, revoke] = [URL.createObjectURL, URL.revokeObjectURL]
    URL.createObjectURL = (blob) => { const url = make(blob); window.urls.add(url); return url }
    URL.revokeObjectURL = (url) => { window.urls.delete(url); revoke(url) }
}"""
# Whether the page would rather not be closed.
ASKS = "() => !window.dispatchEvent(new Event('beforeunload', {cancelable: true}))"
# This browser has no room for files.
FULL = """() => {
    const put = IDBObjectStore.prototype.put
    IDBObjectStore.prototype.put = function (value, ...more) {
        if (value.file) throw new DOMException("full", "QuotaExceededError")
        return put.call(this, value, ...more)
    }
}"""


def settings(tab: Tab) -> None:
    tab.click(".rail a[href='#/settings']")
    tab.sees("Delete the account")


class Leaving(FlowCase):
    def test_nothing_is_kept_of_an_account_that_was_deleted(self) -> None:
        for _ in self.in_each():
            with self.browsers() as browser:
                (alice,) = fresh("alice")
                one = browser.person()
                register(one, alice)
                settings(one)
                one.click("button=text:Delete the account")
                one.fill("dialog input", "not the password")
                one.click("dialog button=text:Delete it")
                one.until("refusal", "() => !!document.querySelector('.toast.error')")
                self.assertEqual(len(one.evaluate(REMAINS)[0]), 1)
                one.fill("dialog input", PASSWORD)
                one.click("dialog button=text:Delete it")
                self.has_left(one)
                one.reload()
                self.has_left(one)

    def has_left(self, tab: Tab) -> None:
        tab.until("form", "() => !!document.querySelector('.sign-in form')")
        self.assertEqual(tab.evaluate(REMAINS), [[], [], 0])

    def test_nothing_is_kept_of_who_has_signed_out_in_any_tab(self) -> None:
        for _ in self.in_each():
            with self.browsers() as browser, Relay(URL) as line:
                self.sign_out(browser, line)

    def sign_out(self, browser: Browser, line: Relay) -> None:
        alice, bob = fresh("alice", "bob")
        one, two = browser.person(), browser.person()
        meet(one, alice, two, bob, url=line.url, greeting="A secret")
        other = Tab(browser, one.user_context)
        other.open(one.evaluate("() => location.href"))
        other.sees("A secret", ".bubble")
        one.front()
        if self.browser == "chromium":
            browser.connection.send(
                "permissions.setPermission", descriptor={"name": "notifications"}, state="granted", origin=line.url,
                userContext=one.user_context,
            )  # fmt: skip
            self.assertEqual(one.evaluate(NOTIFY), 1)
        settings(one)
        # The service worker has all that is needed from the second time on.
        one.until("service worker", "() => !!navigator.serviceWorker.controller")
        one.reload()
        one.sees("Delete the account")
        line.cut()
        one.sees("No connection")
        # By keys: other parts of the settings still come, and the button is moved by them.
        one.evaluate("() => find('button=text:Sign out').focus()")
        one.press("Enter")
        one.click("dialog button=text:Sign out")
        for tab in (one, other):
            tab.until("end", "() => location.hash === '' && document.readyState === 'complete'")
            tab.sees_no("A secret")
            self.assertEqual(tab.evaluate(REMAINS), [[], [], 0])
        # Connections that were cut, and modules that cannot be had.
        browser.failures()

    def test_a_picture_goes_with_its_message(self) -> None:
        for _ in self.in_each():
            with self.browsers() as browser, tempfile.TemporaryDirectory() as directory:
                alice, bob = fresh("alice", "bob")
                one, two = browser.person(), browser.person()
                meet(one, alice, two, bob)
                two.evaluate(WATCH)
                picture = Path(directory) / "morning.png"
                picture.write_bytes(png(320, 200))
                one.choose_files("input[type=file]", picture)
                two.until("picture", "() => document.querySelector('.row.other .picture img')?.naturalWidth === 320")
                two.click(".row.other .picture button")
                two.until("large picture", "() => document.querySelector('dialog.lightbox img')?.naturalWidth === 320")
                self.assertEqual(two.evaluate("() => window.urls.size"), 2)
                two.press("Escape")
                two.until("one picture", "() => window.urls.size === 1")
                # A row that is made anew has an address of its own.
                write(one, "There is more")
                two.sees("There is more", ".row.other")
                two.until("one picture again", "() => window.urls.size === 1")
                one.evaluate("() => [...document.querySelectorAll('.row.own')].at(-2).focus()")
                one.press("Enter")
                one.click("[role=menuitem]=text:Delete for everybody")
                one.click("dialog[open] button=text:Delete")
                two.sees("Message deleted", ".row.other")
                two.until("no picture", "() => window.urls.size === 0")

    def test_a_page_asks_before_a_file_is_lost_with_it(self) -> None:
        for _ in self.in_each():
            with self.browsers() as browser, tempfile.TemporaryDirectory() as directory, Relay(URL) as line:
                alice, bob = fresh("alice", "bob")
                one, two = browser.person(), browser.person()
                meet(one, alice, two, bob, url=line.url)
                files = [Path(directory) / f"{number}.bin" for number in range(11)]
                for file in files:
                    file.write_bytes(os.urandom(100))
                one.choose_files("input[type=file]", *files)
                one.sees("The first 10 are sent. Choose the other 1 file again.", ".toast")
                two.until("ten files", "() => document.querySelectorAll('.row.other .file').length === 10")
                self.assertFalse(one.evaluate(ASKS))
                one.evaluate(FULL)
                files[0].write_bytes(os.urandom(3_900_000))
                line.hang_after(1_000_000)
                one.choose_files("input[type=file]", files[0])
                one.sees("Keep this page open", ".uploads")
                self.assertTrue(line.hangs.wait(60))
                self.assertTrue(one.evaluate(ASKS))
                line.restore()
                two.until("eleven files", "() => document.querySelectorAll('.row.other .file').length === 11", limit=60)
                self.assertFalse(one.evaluate(ASKS))
                # The connection that was cut.
                browser.failures()


if __name__ == "__main__":
    unittest.main()
