"""A receiver of webhooks, as docs/push.md tries it: python3 docs/python/receiver.py SECRET

It prints its address, and then each notification whose signature fits.
"""

import hashlib
import hmac
import http.server
import sys
import time

SECRET = sys.argv[1].encode()
SEEN = set()


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers["Content-Length"]), 65_536))
        signature = dict(part.split("=", 1) for part in self.headers["Parley-Signature"].split(","))
        expected = hmac.new(SECRET, signature["t"].encode() + b"." + body, hashlib.sha256).hexdigest()
        is_ours = hmac.compare_digest(expected, signature["v1"]) and abs(time.time() - int(signature["t"])) < 300
        if is_ours and self.headers["Parley-Id"] not in SEEN:
            SEEN.add(self.headers["Parley-Id"])
            print(body.decode(), flush=True)
        self.send_response(200 if is_ours else 401)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
