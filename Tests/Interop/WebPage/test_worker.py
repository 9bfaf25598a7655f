"""The service worker hands out the page: over a slow line, without one, and where there is no room to keep it."""

import unittest

from browsers import Browser
from flows import FlowCase, fresh
from people import URL, register
from relay import Relay
from tab import Tab

# More than the worker waits for where it has something, in seconds.
SLOW = 5.0
FETCH = """async (path) => {
    const begin = performance.now()
    const response = await fetch(path)
    await response.text()
    return [response.ok, (performance.now() - begin) / 1000]
}"""
LOAD = "async (path) => Object.keys(await import(path)).length > 0"
KEEP = """async () => (await caches.open("x")).put("/y", new Response("y".repeat(99999)))
    .then(() => true, () => false)"""
# What is opened only when one asks for it.
MODULE = "/views/report.js"


class Worker(FlowCase):
    def controlled(self, browser: Browser, url: str) -> Tab:
        (alice,) = fresh("alice")
        tab = browser.person()
        register(tab, alice, url=url)
        tab.until("service worker", "() => !!navigator.serviceWorker.controller")
        return tab

    def test_a_slow_door_is_waited_for_only_where_nothing_is_kept(self) -> None:
        for _ in self.in_each():
            with self.browsers() as browser, Relay(URL) as line:
                tab = self.controlled(browser, line.url)
                self.assertTrue(tab.evaluate(FETCH, "/styles/base.css")[0])
                line.delay = SLOW
                self.assertTrue(tab.evaluate(LOAD, MODULE))
                is_ok, seconds = tab.evaluate(FETCH, "/styles/base.css")
                self.assertTrue(is_ok)
                self.assertLess(seconds, SLOW)
                # Requests of the session that have waited too long.
                browser.failures()

    def test_the_page_loads_where_there_is_no_room_to_keep_it(self) -> None:
        for _ in self.in_each():
            if self.browser != "chromium":
                continue
            with self.browsers() as browser:
                tab = self.controlled(browser, URL)
                send = browser.connection.send
                session = send("goog:cdp.getSession", context=tab.id)["session"]
                quota = {"origin": URL, "quotaSize": 1000}
                send("goog:cdp.sendCommand", method="Storage.overrideQuotaForOrigin", params=quota, session=session)
                self.assertFalse(tab.evaluate(KEEP))
                self.assertTrue(tab.evaluate(LOAD, MODULE))


if __name__ == "__main__":
    unittest.main()
