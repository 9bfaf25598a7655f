"""A whole Parley client for direct conversations; ../other-clients.md tells the same in words, step by step.

    python3 client.py alice-laptop.parley bob

The first argument is what `parley device export` has made, or the credentials.json of a device in a gateway's data
directory. Lines of standard input go to the user named second, and what anybody writes is printed; `/accept USER`
accepts a message request. FILE.state keeps keys, positions and what waits to be sent.
"""
import itertools, json, os, queue, ssl, sys, threading, time, uuid
from pathlib import Path

import paho.mqtt.client as mqtt
from cryptography.exceptions import InvalidTag
from sealing import SUITE, certify, direct_conversation, is_certified, moment, now, public, raw, sign_keys, text
from sealing import seal, unseal

QOS0, QOS1 = mqtt.SubscribeOptions(0), mqtt.SubscribeOptions(1)
def say(*words): print(*words, flush=True)
class Refused(Exception): pass

class Client:
    def __init__(self, path):
        self.path, self.inbox, self.waiting, self.numbers = Path(path).resolve(), queue.Queue(), {}, itertools.count()
        self.online, self.lock = threading.Event(), threading.Lock()  # of the state
        self.known, self.unread, self.heard = {}, {}, set()
        self.file = json.loads(self.path.read_text())
        self.credentials = self.file.get("credentials", self.file)
        self.user, self.device = self.credentials["client_id"].split(":")
        address = f"{self.user}/{self.device}"
        self.requests, self.replies = f"parley/v1/up/{address}", f"parley/v1/down/{address}/client"
        self.state_path = Path(f"{self.path}.state")
        self.state = json.loads(self.state_path.read_text()) if self.state_path.exists() else {
            "secret": text(os.urandom(32)), "signing": text(os.urandom(32)), "account": None, "issued_at": None,
            "pinned": {}, "cursors": {}, "seen": {}, "outbox": [], "token_until": None, "renew_at": 0}
        self.secret = raw(self.state["secret"])
        self.save(self.state_path, self.state)

    def save(self, path, data):
        new = os.open(f"{path}.new", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        with open(new, "wb", buffering=0) as file:
            file.write(json.dumps(data).encode())
            os.fsync(new)
        os.replace(f"{path}.new", path)

    def connect(self):  # step 1
        place = self.file if "host" in self.file else json.loads((self.path.parents[3] / "endpoint.json").read_text())
        self.mqtt = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, self.credentials["client_id"], protocol=mqtt.MQTTv5)
        self.mqtt.username_pw_set(self.credentials["username"], self.credentials["password"])
        if place["scheme"] == "mqtts":
            self.mqtt.tls_set_context(ssl.create_default_context(cadata=place.get("ca"), cafile=place.get("ca_file")))
        self.mqtt.on_connect, self.mqtt.on_disconnect, self.mqtt.on_message = self.connected, self.lost, self.received
        self.mqtt.connect_async(place["host"], place["mqtt_port"], keepalive=60, clean_start=True)
        self.mqtt.loop_start()  # connects again by itself

    def connected(self, client, data, flags, reason, properties):  # step 2
        if reason == "Not authorized": self.end("the token is over, or the device was revoked")
        self.heard.clear()
        client.subscribe([(self.replies, QOS0), (f"parley/v1/users/{self.user}/events", QOS1)])
        self.online.set()
        self.inbox.put(("connected", None))

    def lost(self, client, data, flags, reason, properties):
        if reason == "Session taken over": self.end("another program signs in as this device")
        self.online.clear()
        for reply in list(self.waiting.values()): reply.put(None)

    def end(self, why):  # step 10
        say("*", why)
        os._exit(1)

    def received(self, client, data, message):
        payload = json.loads(message.payload)
        if message.topic != self.replies: return self.inbox.put((payload["type"], payload["data"]))
        self.waiting.pop(message.properties.CorrelationData, queue.SimpleQueue()).put(payload)

    def request(self, operation, data={}):  # step 5: the same bytes until there is a reply
        properties = mqtt.Properties(mqtt.PacketTypes.PUBLISH)
        properties.ResponseTopic, properties.CorrelationData = self.replies, str(next(self.numbers)).encode()
        while self.without_lock(self.online.wait):
            reply = self.waiting[properties.CorrelationData] = queue.SimpleQueue()
            self.mqtt.publish(f"{self.requests}/{operation}", json.dumps(data), 1, properties=properties)
            answer = self.without_lock(lambda: reply.get(timeout=10))
            if not answer: continue  # no answer in time, or the connection has ended
            if answer["ok"]: return answer["data"]
            if answer["error"]["code"] not in ("rate_limited", "unavailable"): raise Refused(answer["error"])
            self.without_lock(lambda: time.sleep(answer["error"].get("retry_after_ms", 1000) / 1000))

    def without_lock(self, wait):  # what is typed meanwhile is kept
        self.lock.release()
        try: return wait()
        except queue.Empty: return None
        finally: self.lock.acquire()

    def publish_keys(self):  # step 3
        if not self.state["account"] and not self.request("keys/get", {"user_id": self.user})["account_key"]:
            self.state |= {"account": text(os.urandom(32)), "issued_at": now()}
            self.save(self.state_path, self.state)
        data = sign_keys(raw(self.state["signing"]), self.user, self.device, public(self.secret))
        if self.state["account"]:  # else another device has it, and certifies this one: links/offer
            data |= certify(raw(self.state["account"]), self.user, self.device, data, self.state["issued_at"])
            self.state["pinned"][self.user] = data["account_key"]
        self.request("keys/publish", data)

    def devices(self, user):
        if user not in self.known:
            listing = self.request("keys/get", {"user_id": user})
            account = self.state["pinned"].get(user) or listing["account_key"]
            if account: self.state["pinned"][user] = account  # from now on
            if account != listing["account_key"]: say(f"* {user} has another account key: ask them")
            self.known[user] = [(user, it["device_id"], raw(it["identity_key"]), is_certified(account, user, it))
                                for it in listing["devices"]]
        return self.known[user]

    def catch_up(self):  # step 2
        is_anew, cursor = True, {}
        while is_anew or cursor or not page["complete"]:
            if not cursor: is_anew = False
            page = self.request("sync/get", {"cursors": self.state["cursors"]} | cursor)
            for name in page["left"]: self.state["cursors"].pop(name, None)
            for part in page["conversations"]:
                name, records = part["conversation_id"], part["messages"]
                if name not in self.heard:  # asked again, for what came before the subscription
                    is_anew = True
                    self.heard.add(name)
                    topic = f"parley/v1/conversations/{name}"
                    self.mqtt.subscribe([(f"{topic}/messages", QOS1), (f"{topic}/receipts", QOS1)])
                if not part["recovered"] and self.state["cursors"].pop(name, None): is_anew = True
                if records: self.state["cursors"][name] = {"epoch": part["epoch"], "seq": records[0]["seq"] - 1}
                for record in records: self.take(record)
            cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else {}

    def take(self, record):  # step 6
        name, position = record["conversation_id"], {"epoch": record["epoch"], "seq": record["seq"]}
        before = self.state["cursors"].get(name, position | {"seq": 0})
        if position["epoch"] != before["epoch"] or position["seq"] > before["seq"] + 1: return self.catch_up()
        if position["seq"] <= before["seq"]: return  # a repeat
        seen = self.state["seen"].setdefault(name, [])
        if record["id"] not in seen: self.show(record)
        self.state["cursors"][name], self.state["seen"][name] = position, seen[-999:] + [record["id"]]
        self.save(self.state_path, self.state)

    def show(self, record):
        sender, device, kind = record["sender_id"], record["sender_device_id"], record["kind"]
        if (sender, device) == (self.user, self.device): return
        if record["encrypted_content"] is None: return say(f"* {sender}: {kind}, {record['message_type']}")
        for _ in range(2):  # the sender may have other keys by now
            key = next((entry[2] for entry in self.devices(sender) if entry[1] == device and entry[3]), None)
            try: content = json.loads(unseal(record, self.user, self.device, self.secret, key))
            except (InvalidTag, TypeError, ValueError): self.known.pop(sender, None)
            else:
                if kind == "message" and sender != self.user: self.unread[record["conversation_id"]] = record["id"]
                words = content.get("text") or content.get("emoji") or record["message_type"]
                return say(f"{sender}: {words}" if kind == "message" else f"{sender}: {kind}: {words}")
        say(f"* {sender}: a message that cannot be opened")

    def flush(self):  # step 4
        while self.state["outbox"]:
            peer, words, message = self.state["outbox"][0]
            try:
                if "nonce" not in message:
                    theirs, own = self.devices(peer), self.devices(self.user)
                    if not any(it[3] for it in theirs): return say(f"* {peer} has no keys yet")
                    others = theirs + [it for it in own if it[1] != self.device]
                    self.request("conversations/create", {"type": "direct", "participant_ids": [peer]})
                    bound = message | {"sender_id": self.user, "sender_device_id": self.device, "kind": "message"}
                    message |= seal(bound, json.dumps({"text": words}).encode(), self.secret, others)
                    self.save(self.state_path, self.state)  # a repeat has the same bytes, also of another process
                say(f"* number {self.request('messages/send', message)['seq']}: {words}")
            except Refused as refusal:
                if refusal.args[0]["code"] == "stale_devices":
                    self.known.clear()
                    message.pop("nonce")
                    continue
                say("* not sent:", refusal)
            self.state["outbox"].pop(0)
            self.save(self.state_path, self.state)

    def renewal(self):  # step 8: after two thirds of the token's time
        if self.state["token_until"] != (until := self.credentials["expires_at"]):
            self.state |= {"token_until": until, "renew_at": time.time() / 3 + moment(until) * 2 / 3}
        return self.state["renew_at"]

    def renew(self):
        self.credentials.update(self.request("devices/renew"))
        self.save(self.path, self.file)  # before anything signs in with it
        self.mqtt.disconnect()
        self.mqtt.loop_stop()
        self.connect()

    def read(self, peer):  # step 4: on disk before anything else
        for line in itertools.chain(sys.stdin, [None]):
            words = line and line.rstrip("\n")
            if words and not words.startswith("/"):
                message = {"id": str(uuid.uuid4()), "conversation_id": direct_conversation(self.user, peer)}
                with self.lock:
                    self.state["outbox"].append([peer, words, message | {"message_type": "text", "suite": SUITE}])
                    self.save(self.state_path, self.state)
            self.inbox.put(("line", words))

    def handle(self, kind, data):
        match kind:
            case "connected":
                self.publish_keys()
                self.catch_up()
                self.flush()
            case "line" if data is None: raise SystemExit  # the end of the input
            case "line" if data.startswith("/accept "):  # a message request
                self.request("requests/accept", {"conversation_id": direct_conversation(self.user, data[8:])})
            case "line": self.flush()
            case "message.new" | "message.edited" | "message.deleted" | "message.reaction": self.take(data)
            case "message.read" if data["user_id"] != self.user: say(f"* {data['user_id']} has read {data['seq']}")
            case "message.request": say(f"* {data['user_id']} wants to write: /accept {data['user_id']}")
            case "conversation.created": self.catch_up()
            case "conversation.removed": self.heard.discard(data["conversation_id"])  # step 9
            case "keys.changed":
                self.known.pop(data["user_id"], None)
                self.flush()

    def run(self, peer):
        self.connect()
        threading.Thread(target=self.read, args=[peer], daemon=True).start()
        self.lock.acquire()
        while True:
            event = self.without_lock(lambda: self.inbox.get(timeout=60))
            try:
                if event: self.handle(*event)
                while self.inbox.empty() and self.unread:  # step 7
                    self.request("receipts/read", dict(zip(("conversation_id", "message_id"), self.unread.popitem())))
                if self.online.is_set() and time.time() > self.renewal(): self.renew()
            except Refused as refusal: say("* refused:", refusal)

if __name__ == "__main__": Client(sys.argv[1]).run(sys.argv[2])
