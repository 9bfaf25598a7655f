"""Notifications: the service worker opens what is pushed, on the device, and shows nothing of what it cannot open."""

import json
import time
import unittest
from collections.abc import Callable
from typing import Any

from bidi import LIMIT
from browsers import Browser
from flows import FlowCase, fresh, meet
from people import URL, write
from push_service import PushService, Subscription, sealed
from tab import Tab

SHOWN = """async () => (await (await navigator.serviceWorker.getRegistration()).getNotifications())
    .map(({title, body, tag, data}) => [title, body, tag.split(" ")[0], data.route.split("/")[0]])"""
REGISTER = """async (fields) => {
    const accounts = await import("/client/accounts.js")
    const client = await accounts.open((await accounts.kept())[0])
    await client.context.door.ask("push/register", {provider: "webpush", ...fields})
    await navigator.serviceWorker.ready
}"""
KEYS = """async () => {
    const registration = await navigator.serviceWorker.getRegistration()
    const subscription = await registration.pushManager.getSubscription()
    const accounts = await import("/client/accounts.js")
    const client = await accounts.open((await accounts.kept())[0])
    const isRegistered = await client.push.state() === "on"
    const {keys} = subscription?.toJSON() ?? {}
    return isRegistered && keys && [keys.p256dh, keys.auth]
}"""
# A page of the door that is not the messenger: nobody is connected there.
ELSEWHERE = f"{URL}/styles/base.css"


class Push(FlowCase):
    def test_the_worker_opens_what_is_pushed(self) -> None:
        for _ in self.in_each():
            with PushService() as service, self.browsers(preferences=service.preferences) as browser:
                self.notify(browser, service)

    def notify(self, browser: Browser, service: PushService) -> None:
        alice, bob = fresh("alice", "bob")
        one, two = browser.person(), browser.person()
        meet(one, alice, two, bob)
        subscription = Subscription()
        fields = {"endpoint": service.endpoint, **subscription.fields}
        is_firefox = self.browser == "firefox"
        deliver = self.subscribe_by_itself(two, service) if is_firefox else browser.pushing(two, URL)
        if not is_firefox:
            two.evaluate(REGISTER, fields)
        two.open(ELSEWHERE)
        write(one, "Are you there?")
        body = service.wait()
        if not is_firefox:
            deliver(subscription.opened(body))
        self.await_notifications(two, [["Alice Moreau", "Are you there?", "conversation", "chats"]])

        # From here on the test opens what the gateway brings, and gives it to the worker, changed.
        service.is_forwarding = False
        two.evaluate(REGISTER, fields)
        write(one, "Still there?")
        pushed = json.loads(subscription.opened(service.wait()))
        self.assertEqual((pushed["type"], pushed["message"]["sender_id"]), ("message", alice))
        content = pushed["message"]["encrypted_content"]
        damaged = {**pushed["message"], "encrypted_content": ("B" if content[0] == "A" else "A") + content[1:]}
        deliver(json.dumps({**pushed, "message": damaged}))
        generic = ["Parley", "A message has come", "conversation", "chats"]
        self.await_notifications(two, [generic])
        deliver("<b>Still there?</b>")
        other = ["Parley", "Something has come", "something", "chats"]
        self.await_notifications(two, [generic, other])
        deliver(json.dumps(pushed))
        self.await_notifications(two, [["Alice Moreau", "Still there?", "conversation", "chats"], other])
        # What was read elsewhere is taken away.
        deliver(json.dumps({**pushed, "type": "clear", "message": None}))
        self.await_notifications(two, [other])
        two.open(f"{URL}/")
        two.sees("Still there?", ".entry")

    def await_notifications(self, tab: Tab, wanted: list[Any]) -> None:
        end = time.monotonic() + LIMIT
        while (shown := sorted(tab.evaluate(SHOWN))) != sorted(wanted) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(shown, sorted(wanted))

    def subscribe_by_itself(self, tab: Tab, service: PushService) -> Callable[[str], None]:
        """By the page's own switch. What it returns gives the worker a push."""
        tab.click(".rail a[href='#/settings']")
        tab.click(".toggle=text:Notify me when Parley is closed")
        keys = tab.until("subscription", KEYS)
        return lambda text: service.push(sealed(text, *keys))


if __name__ == "__main__":
    unittest.main()
