"""Who may talk to the panel, and with which headers it answers."""

from __future__ import annotations

import hmac
import ipaddress
import logging
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)

TOKEN = "token"  # its name in the address and as a cookie
SECURITY = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
}


class Guard:
    """Lets only this machine's own pages in, and sends every answer out with strict headers.

    The `Host` must be one of ours (a name that was rebound to this machine is not), and a page may talk to the socket
    only if it came from here (`Origin`). Programs that are no browser send no `Origin`. Where there is a token, only
    those get in who know it.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str], token: str | None) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if not is_own_host(host, self._hosts):
            await _turn_away(scope, receive, send, f"not my name: {host[:80]!r}; open the panel by its address")
        elif origin is not None and origin.partition("://")[2] != host:
            await _turn_away(scope, receive, send, f"this panel does not talk to pages from {origin[:80]!r}")
        elif scope["type"] == "websocket" and scope["path"] != "/ws":
            await _turn_away(scope, receive, send, f"the socket is /ws, not {scope['path'][:80]!r}")
        elif self._token is not None and not self._knows_token(scope):
            await _turn_away(scope, receive, send, "this panel needs its token: open the whole address")
        else:
            await self._app(scope, receive, _with_headers(send, self._cookie(scope)))

    def _knows_token(self, scope: Scope) -> bool:
        """Whether the request brings the token: in the address the first time, in a cookie from then on."""
        connection = HTTPConnection(scope)
        shown = connection.query_params.get(TOKEN) or connection.cookies.get(TOKEN) or ""
        return self._token is not None and hmac.compare_digest(shown.encode(), self._token.encode())

    def _cookie(self, scope: Scope) -> dict[str, str]:
        if self._token is None or scope["type"] != "http" or scope["path"] != "/":
            return {}
        return {"set-cookie": f"{TOKEN}={self._token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000"}


def is_own_host(header: str, hosts: Sequence[str]) -> bool:
    """Tell whether a `Host` header names this machine: one of *hosts*, whatever the port; `*` allows any IP address."""
    name = header.rpartition(":")[0] if header.rpartition(":")[2].isdigit() else header
    name = name.strip("[]").rstrip(".").lower()
    if name in hosts:
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return "*" in hosts or (address.is_loopback and "localhost" in hosts)


async def _turn_away(scope: Scope, receive: Receive, send: Send, why: str) -> None:
    log.warning("refused: %s", why)
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why})   # before accept: answered 403
    else:
        await PlainTextResponse(why, status_code=403)(scope, receive, _with_headers(send))


def _with_headers(send: Send, more: Mapping[str, str] = MappingProxyType({})) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update({**SECURITY, **more})
        await send(message)
    return sending
