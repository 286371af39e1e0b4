"""Who may talk to the panel, and with which headers it answers."""

from __future__ import annotations

import hmac
import ipaddress
import logging
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hal.panel.access import Tries

log = logging.getLogger(__name__)

TOKEN = "token"  # its name in the address and as a cookie
MAX_TOKENS = 20  # wrong ones from one address, a minute
ASK_FOR_TOKEN = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Pilelight: the whole address, please</title></head><body>
<main><h1>The whole address, please</h1>
<p>This unit lets in only who comes with its present address. Scan the code again: it is on the owner's page, and
where the program was started.</p>
<p lang="de">Dieses Gerät lässt nur herein, wer mit seiner jetzigen Adresse kommt. Scanne den Code noch einmal: Er steht
auf der Seite des Besitzers und dort, wo das Programm gestartet wurde.</p>
<p lang="es">Este aparato solo deja entrar con su dirección actual. Escanea otra vez el código: está en la página del
dueño y donde se arrancó el programa.</p></main></body></html>
"""
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

    def __init__(self, app: ASGIApp, hosts: Sequence[str], token: str | None, now_us: Callable[[], int]) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token
        self._now_us = now_us
        self._tries = Tries(MAX_TOKENS)

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
            await self._ask_for_token(scope, receive, send)
        else:
            await self._app(scope, receive, _with_headers(send, self._cookie(scope)))

    def _knows_token(self, scope: Scope) -> bool:
        """Whether the request brings the token: in the address the first time, in a cookie from then on."""
        connection = HTTPConnection(scope)
        shown = connection.query_params.get(TOKEN) or connection.cookies.get(TOKEN) or ""
        return self._token is not None and hmac.compare_digest(shown.encode(), self._token.encode())

    async def _ask_for_token(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Turn away whoever has not got the token; a browser gets a page that says what to do.

        Who guesses on gets a short answer. The right token is let in all the same: a page that was left open with
        an old one guesses, too, and then its owner scans the new code.
        """
        client = scope.get("client")
        who, now_us = client[0] if client else "", self._now_us()
        if self._tries.are_spent(who, now_us):
            await _turn_away(scope, receive, send, "too many wrong tokens; wait a minute", status=429)
            return
        self._tries.note(who, now_us)
        page = ASK_FOR_TOKEN if scope["type"] == "http" and scope["path"] == "/" else None
        await _turn_away(scope, receive, send, "this panel needs its token: open the whole address", page)

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


async def _turn_away(
    scope: Scope, receive: Receive, send: Send, why: str, page: str | None = None, status: int = 403
) -> None:
    log.warning("refused: %s", why)
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why})   # before accept: answered 403
    elif page is not None:
        await HTMLResponse(page, status_code=status)(scope, receive, _with_headers(send))
    else:
        await PlainTextResponse(why, status_code=status)(scope, receive, _with_headers(send))


def _with_headers(send: Send, more: Mapping[str, str] = MappingProxyType({})) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update({**SECURITY, **more})
        await send(message)
    return sending
