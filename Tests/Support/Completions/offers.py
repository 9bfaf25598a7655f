"""Types a line and two tabs into a shell on a terminal, and sees that it offers a word.

Usage: offers.py LINE WORD COMMAND…
The shell's prompt is to end with «ready> ». Status 1, with what was said, where the shell ends or does not offer the
word within two minutes.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time


class Shell:
    def __init__(self, command: list[str]) -> None:
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execvp(command[0], command)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def await_text(self, text: str) -> None:
        """Reads until some text comes, and discards what was read with it."""
        said, end = b"", time.monotonic() + 120
        while text.encode() not in said:
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                sys.exit(f"no {text!r} in {said!r}")
            try:
                said += os.read(self.terminal, 65536)
            except OSError:
                sys.exit(f"the shell has ended: {said!r}")

    def end(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


shell = Shell(sys.argv[3:])
try:
    shell.await_text("ready> ")
    shell.type(sys.argv[1] + "\t\t")
    shell.await_text(sys.argv[2])
finally:
    shell.end()
