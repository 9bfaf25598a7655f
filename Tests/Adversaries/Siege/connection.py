"""A connection that is never waited for: it makes itself, TLS included, sends and reads as the selector allows."""

import errno
import selectors
import socket
import ssl
from functools import cache

import mqtt
from device import Endpoint

BUSY = (BlockingIOError, InterruptedError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


@cache
def tls_context(certificate: str) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=certificate)


class Connection:
    """Whoever inherits says what to do with what has come: `take`, which `data` at the end of the connection is `None`."""

    def __init__(
        self, endpoint: Endpoint, selector: selectors.BaseSelector, *, source: str = "", receive_buffer: int = 0
    ) -> None:
        """`source` is the local address; `receive_buffer` is for those who are slow on purpose."""
        self.reader = mqtt.Reader()
        self.is_open = True
        self._selector = selector
        self._output = bytearray()
        self._handshakes = False
        family = socket.AF_INET if endpoint.port else socket.AF_UNIX
        raw = socket.socket(family)
        raw.setblocking(False)
        if receive_buffer:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if endpoint.port:
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if source:
            # The port is chosen at connecting, by the pair of addresses.
            raw.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
            raw.bind((source, 0))
        code = raw.connect_ex((endpoint.host, endpoint.port) if endpoint.port else endpoint.host)
        if code not in (0, errno.EINPROGRESS):
            raw.close()
            raise OSError(code, "connect")
        self._connects = code != 0
        self.socket = raw
        if endpoint.certificate:
            self.socket = tls_context(endpoint.certificate).wrap_socket(
                raw, server_hostname="localhost", do_handshake_on_connect=False
            )
            self._handshakes = True
        selector.register(self.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, self)
        self._is_watched = True

    @property
    def is_made(self) -> bool:
        return not self._connects and not self._handshakes

    @property
    def has_output(self) -> bool:
        return bool(self._output)

    def send(self, data: bytes) -> None:
        self._output += data
        if self.is_made:
            self._flush()

    def ready(self, events: int) -> None:
        """What the selector has said."""
        if self._connects:
            if error := self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                self.ended(errno.errorcode.get(error, str(error)))
                return
            self._connects = False
        if self._handshakes and not self._shake_hands():
            return
        if events & selectors.EVENT_WRITE:
            self._flush()
        if events & selectors.EVENT_READ:
            self._read()

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            if self._is_watched:
                self._selector.unregister(self.socket)
            self.socket.close()

    def take(self, data: bytes) -> None:
        raise NotImplementedError

    def ended(self, why: str) -> None:
        """The other side, or the network, has ended it."""
        self.close()

    def _shake_hands(self) -> bool:
        try:
            self.socket.do_handshake()
        except BUSY as busy:
            self._watch(wants_to_write=isinstance(busy, ssl.SSLWantWriteError))
            return False
        except OSError as error:
            self.ended(type(error).__name__)
            return False
        self._handshakes = False
        self._flush()
        return self.is_open

    def _flush(self) -> None:
        while self._output and self.is_open:
            try:
                # Little enough that the kernel lets others run in between.
                with memoryview(self._output) as output:
                    sent = self.socket.send(output[: 1 << 16])
                del self._output[:sent]
            except BUSY:
                break
            except OSError as error:
                self.ended(type(error).__name__)
                return
        if self.is_open:
            self._watch(wants_to_write=bool(self._output))

    def _read(self) -> None:
        while self.is_open:
            try:
                data = self.socket.recv(1 << 16)
            except BUSY:
                return
            except OSError as error:
                self.ended(type(error).__name__)
                return
            if not data:
                self.ended("closed")
                return
            self.take(data)
            if len(data) < 1 << 16 and not self._handshakes and not isinstance(self.socket, ssl.SSLSocket):
                return

    def _watch(self, wants_to_write: bool) -> None:
        self._selector.modify(
            self.socket, selectors.EVENT_READ | (selectors.EVENT_WRITE if wants_to_write else 0), self
        )

    # Whether the selector has the socket.
    _is_watched = False
