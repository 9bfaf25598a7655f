"""What must hold when an attack is over, besides what holds for all: a sentence for each thing that does not."""

from device import Device
from gateway import Gateway
from people import ATTACKERS, VICTIM, Town


def registration_holds(gateway: Gateway, town: Town) -> list[str]:
    """Whoever registered a webhook is registered, whoever else has named it since."""
    with Device(gateway.local, town.device(VICTIM), "asks") as device:
        (phone,) = [each for each in device.request("devices/list")["devices"] if each["device_id"] == "phone"]
    return [] if phone.get("push") else ["the victim's webhook is registered no more"]


def challenge_is_in_the_feed(gateway: Gateway, town: Town) -> list[str]:
    """A challenge that waits for an answer is in the feed, whatever came after it."""
    fields = {"limit": 200}
    with Device(gateway.local, town.device(ATTACKERS[0]), "asks") as device:
        while True:
            page = device.request("notifications/list", fields)
            if any(item["type"] == "challenge_received" for item in page["items"]):
                return []
            if not page.get("next_cursor"):
                return ["reactions have displaced a challenge that waits for an answer"]
            fields = {**fields, "cursor": page["next_cursor"]}
