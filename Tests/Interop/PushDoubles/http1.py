"""A server of HTTP/1.1."""

import asyncio

from connections import GARBAGE, LARGEST_BODY, PIECE, Connection
from desk import Desk
from exchange import Answer, Request


class HTTP1(Connection):
    protocol = "HTTP/1.1"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._input = bytearray()
        # An answer is under way: what comes meanwhile waits.
        self._is_busy = False

    def data_received(self, data: bytes) -> None:
        self._input += data
        self._read_on()

    def _read_on(self) -> None:
        while not self._is_busy and not self.transport.is_closing():
            try:
                request = self._take_request()
            except ValueError:
                return self.abort()
            if request is None:
                return
            self._is_busy = True
            self._answer(self.desk.handle(request))

    def _take_request(self) -> Request | None:
        """The next request that is whole. `ValueError` for what is none."""
        end = self._input.find(b"\r\n\r\n")
        if end < 0:
            if len(self._input) > 65_536:
                raise ValueError("a head without end")
            return None
        first, *lines = self._input[:end].decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ")
        headers: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(":")
            name, value = name.lower(), value.strip()
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        taken = self._take_body(end + 4, headers)
        if taken is None:
            return None
        body, after = taken
        del self._input[:after]
        return Request(method, path, headers, body, self.number, self.protocol)

    def _take_body(self, start: int, headers: dict[str, str]) -> tuple[bytes, int] | None:
        """The body, and where what follows it begins."""
        if headers.get("transfer-encoding", "").lower() != "chunked":
            end = start + int(headers.get("content-length", "0"))
            if end - start > LARGEST_BODY:
                raise ValueError("too large")
            return (bytes(self._input[start:end]), end) if len(self._input) >= end else None
        body = bytearray()
        while (line := self._input.find(b"\r\n", start)) >= 0:
            size = int(self._input[start:line].split(b";")[0], 16)
            start = line + 2 + size + 2
            if size > LARGEST_BODY or len(body) > LARGEST_BODY:
                raise ValueError("too large")
            if len(self._input) < start:
                return None
            if size == 0:
                return bytes(body), start
            body += self._input[line + 2 : line + 2 + size]
        return None

    def _answer(self, answer: Answer) -> None:
        match answer.fault:
            case "hang" | "slow":
                self.later(answer, self._answer)
            case "close" | "reset" | "refuse" | "goaway":
                self.abort()
            case "midway":
                self.transport.write(self._head(answer, len(answer.body) + 100) + answer.body + b"...")
                self.abort()
            case "garbage":
                self.transport.write(GARBAGE)
                self.abort()
            case "endless":
                self.transport.write(self._head(answer, None))
                self.spawn(self._send_without_end())
            case _:
                self.transport.write(self._head(answer, len(answer.body)) + answer.body)
                if answer.fault == "goaway-after":
                    return self.abort()
                self._is_busy = False
                self._read_on()

    @staticmethod
    def _head(answer: Answer, length: int | None) -> bytes:
        lines = [f"HTTP/1.1 {answer.status} Answer", *(f"{name}: {value}" for name, value in answer.headers.items())]
        if answer.status != 204:
            lines.append("transfer-encoding: chunked" if length is None else f"content-length: {length}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    async def _send_without_end(self) -> None:
        while not self.transport.is_closing():
            await self._drained.wait()
            self.transport.write(b"%x\r\n%b\r\n" % (len(PIECE), PIECE))
            # Without this a reader that keeps up would keep the loop to itself.
            await asyncio.sleep(0)
