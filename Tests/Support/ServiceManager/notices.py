"""What services tell their manager (sd_notify(3)), for scripts/test-package.sh.

Usage: notices.py DIRECTORY NAME…: receives datagrams at DIRECTORY/NAME, and prints each of their lines behind the name.
"""

import os
import selectors
import socket
import sys

directory, *names = sys.argv[1:]
selector = selectors.DefaultSelector()
for name in names:
    receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    path = os.path.join(directory, name)
    receiver.bind(path)
    os.chmod(path, 0o666)
    selector.register(receiver, selectors.EVENT_READ, name)
print("listening", flush=True)
while True:
    for key, _ in selector.select():
        for line in key.fileobj.recv(65536).decode().splitlines():
            print(key.data, line, flush=True)
