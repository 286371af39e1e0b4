"""A page without a browser: one WebSocket, raw, for what browsers do not do of their own accord."""

from __future__ import annotations

import json
import socket
from typing import Any, Self

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, BytesMessage, CloseConnection, Ping, RejectConnection, Request, TextMessage


class Closed(Exception):
    """The server closed the socket: code and reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(code, reason)
        self.code, self.reason = code, reason


class RawPage:
    """Speaks to a panel at *url*; `hello` is its greeting. Raises `Closed` where the panel wants no more of it."""

    def __init__(self, url: str, *, path: str = "/ws", host: str | None = None, origin: str | None = None,
                 timeout_s: float = 10, receive_buffer: int | None = None) -> None:
        address, _, port = url.removeprefix("http://").rstrip("/").partition(":")
        self.socket = socket.socket()
        self.socket.settimeout(timeout_s)
        if receive_buffer is not None:      # only what is set before connecting bounds the window
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self._wire = WSConnection(ConnectionType.CLIENT)
        self._heard: list[Any] = []
        headers = [] if origin is None else [(b"origin", origin.encode())]
        self._accepted = False
        try:
            self.socket.connect((address, int(port)))
            self._send(Request(host=host or f"{address}:{port}", target=path, extra_headers=headers))
            self.hello: dict[str, Any] = self.read()
        except Exception:
            self.socket.close()
            raise

    def say(self, message: object) -> None:
        self.say_raw(json.dumps(message))

    def say_raw(self, data: str | bytes) -> None:
        self._send(TextMessage(data=data) if isinstance(data, str) else BytesMessage(data=data))

    def read(self) -> Any:
        """Return the next message: an object, or the list of a moment's lines."""
        parts: list[str] = []
        while True:
            while not self._heard:
                data = self.socket.recv(65536)
                self._wire.receive_data(data or None)
                self._heard += self._wire.events()
            event = self._heard.pop(0)
            match event:
                case AcceptConnection():
                    self._accepted = True
                case RejectConnection(status_code=status):
                    raise Closed(status, "before the greeting")
                case Ping():
                    self._send(event.response())
                case CloseConnection(code=code, reason=reason):
                    raise Closed(code, reason or "")
                case TextMessage(data=data, message_finished=finished):
                    parts.append(data)
                    if finished:
                        lines = [json.loads(line) for line in "".join(parts).split("\n")]
                        return lines if "t" in lines[0] else lines[0]

    def read_until(self, key: str) -> Any:
        """Return the next message that has *key*; what comes before it is skipped."""
        while key not in (message := self.read()):
            pass
        return message

    def say_goodbye(self) -> None:
        """Ask to close, as a browser does when its page is left."""
        self._send(CloseConnection(code=1001))

    def vanish(self) -> None:
        """Go without a word, as a browser that crashed."""
        self.socket.close()

    def _send(self, event: Any) -> None:
        self.socket.sendall(self._wire.send(event))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()
