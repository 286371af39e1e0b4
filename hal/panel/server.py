"""Starlette and uvicorn in a thread of their own: static files, `/unit.json` and one WebSocket.

Nothing here runs while nothing happens, except for the pings that find dead browsers. Imported when a panel is opened,
not before: the libraries cost more memory than the whole game.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.wsproto_impl import WSProtocol
from wsproto.utilities import LocalProtocolError

from hal.panel.guard import Guard
from hal.panel.room import MAX_REFUSALS, Page, Parse, Refused, Room
from hal.ports import Input

STATIC = Path(__file__).parent / "static"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json",
         ".svg": "image/svg+xml", ".toml": "application/toml", ".jsonl": "application/jsonl"}
PING_EVERY_S = 10               # a browser that answers no ping for …
PING_LOST_S = 10                # … so long is gone
HOLD_LEASE_S = 5.0              # a page that holds something down says so about once a second
FRAME_LIMIT = 64 * 1024         # bytes; above it the connection ends, below it the room refuses in words
CONNECTION_LIMIT = 300          # HTTP connections; keeps a flood from eating all file descriptors
HEAD_TIMEOUT_S = 5.0            # a connection that has not asked for anything by then is dropped
CLOSE_FULL, CLOSE_NONSENSE = 1013, 1008

Accept: TypeAlias = Callable[[Callable[[int], list[Input]]], None]
"""Calls its argument with the present time (µs) and hands the inputs it gives to the game, stamped in order."""

Downloads: TypeAlias = Mapping[str, Callable[[], str]]
"""Files that pages may ask for, by name; each function gives the text as it is now, empty where there is none.

It is called in a thread of its own and raises OSError, with words for people, where the text cannot be had now."""


class PanelServer:
    """The server, once `start` returned; `tell` and `stop` may be called from the game's thread."""

    def __init__(self, room: Room, listening: socket.socket, hosts: Sequence[str], token: str | None,
                 downloads: Downloads, accept: Accept, on_failure: Callable[[], None],
                 now_us: Callable[[], int]) -> None:
        """*accept* stamps and queues; *on_failure* is called once `failure` is set, from the server's thread."""
        self.failure: BaseException | None = None
        self._room = room
        self._socket = listening
        self._hosts = hosts
        self._token = token
        self._downloads = downloads
        self._accept = accept
        self._on_failure = on_failure
        self._now_us = now_us
        self._files = {file.relative_to(STATIC).as_posix(): file.read_bytes()
                       for file in STATIC.rglob("*") if file.suffix in TYPES}
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="panel", daemon=True)

    def start(self) -> None:
        """Serve. Returns once pages can connect; raises what kept the server from starting."""
        self._thread.start()
        self._ready.wait()
        if self.failure is not None:
            raise self.failure

    def tell(self, outputs: Sequence[Mapping[str, object]], lines: Sequence[str], at_us: int) -> None:
        """Show all pages what the unit shows. Never blocks; after the server's end it does nothing."""
        self._soon(self._room.hear, outputs, lines, at_us)

    def turn_to(self, page: Mapping[str, Any], parse: Parse, stands: Mapping[str, Any] | None = None) -> None:
        """Show another unit from now on, as *stands* says if that is given. Never blocks."""
        self._soon(lambda: self._room.turn_to(page, parse, self._now_us(), stands))

    def see(self, given: Input) -> None:
        """Show all pages what somebody moved on the real unit. Never blocks."""
        self._soon(self._room.see, given)

    def see_all(self, snapshot: Mapping[str, Any]) -> None:
        """Show all pages the unit as it stands. Never blocks."""
        self._soon(self._room.see_all, snapshot)

    def reply(self, number: int, why: str | None) -> None:
        """Answer the wish with this *number*. Never blocks."""
        self._soon(self._room.answer, number, why)

    def stop(self) -> None:
        """Tell all pages that the program ends, then end the server. May be called twice."""
        self._soon(self._room.close)
        if self._closing is not None:
            self._soon(self._closing.set)
        self._thread.join()

    def _soon(self, act: Callable[..., object], *given: object) -> None:
        """Have the server's thread do it. A server that has ended does not: why it ended is told by `wait`."""
        if self._loop is None:
            return
        try:
            self._loop.call_soon_threadsafe(act, *given)
        except RuntimeError:
            if not self._loop.is_closed():
                raise

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as failure:  # noqa: BLE001  # not swallowed: the game's thread raises it, from `wait`
            self.failure = failure
            self._on_failure()
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._closing = asyncio.Event()
        config = uvicorn.Config(
            self._application(), http=_Http, ws=_Socket, lifespan="off", log_config=None, access_log=False,
            server_header=False, date_header=False, proxy_headers=False, ws_max_size=FRAME_LIMIT,
            ws_ping_interval=PING_EVERY_S, ws_ping_timeout=PING_LOST_S, ws_per_message_deflate=False,
            limit_concurrency=CONNECTION_LIMIT, timeout_graceful_shutdown=1,
        )
        await _Quiet(config, self._ready, self._closing).serve(sockets=[self._socket])

    def _application(self) -> ASGIApp:
        routes = [
            Route("/", self._file),
            Route("/unit.json", self._unit),
            WebSocketRoute("/ws", self._talk),
            Route("/static/{path:path}", self._file),
            *(Route(f"/{name}", self._download) for name in self._downloads),
        ]
        return Guard(Starlette(routes=routes), self._hosts, self._token, self._now_us)

    async def _file(self, request: Request) -> Response:
        """The page's own files, from memory: no thread pool, and no path that could lead elsewhere."""
        name = request.path_params.get("path", "index.html")
        if name not in self._files:
            return PlainTextResponse(f"there is no {name[:80]!r} here", status_code=404)
        return Response(self._files[name], media_type=TYPES[Path(name).suffix])

    async def _unit(self, request: Request) -> Response:
        return Response(json.dumps(self._room.data()), media_type="application/json")

    async def _download(self, request: Request) -> Response:
        name = request.url.path.removeprefix("/")
        try:
            text = await asyncio.to_thread(self._downloads[name])
        except OSError as why:
            return PlainTextResponse(str(why), status_code=503)
        if not text:
            return PlainTextResponse(f"there is no {name} yet", status_code=404)
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(text, media_type=TYPES[Path(name).suffix], headers=headers)

    async def _talk(self, socket: WebSocket) -> None:
        """Serve one page from its greeting to its end."""
        await socket.accept()
        wake = asyncio.Event()
        page = Page(wake.set, socket.client.host if socket.client else "")
        try:
            self._room.join(page, self._now_us())
        except Refused as full:
            await socket.close(CLOSE_FULL, str(full))
            return
        writing = asyncio.create_task(self._write(socket, page, wake))
        try:
            await self._read(socket, page)
        except WebSocketDisconnect:
            pass                            # the usual end; what it held down is released below
        finally:
            writing.cancel()
            self._accept(partial(self._room.leave, page))

    async def _read(self, socket: WebSocket, page: Page) -> None:
        while page.refusals < MAX_REFUSALS:
            try:
                async with asyncio.timeout(HOLD_LEASE_S if page.holds else None):
                    message = await socket.receive()
            except TimeoutError:
                self._accept(partial(self._room.let_go, page))
                continue
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is None:
                self._room.refuse(page, "a message is text, not bytes")
            else:
                self._accept(partial(self._room.message, page, text))
        await socket.close(CLOSE_NONSENSE, f"{MAX_REFUSALS} messages made no sense; reload the page")

    async def _write(self, socket: WebSocket, page: Page, wake: asyncio.Event) -> None:
        try:
            while True:
                await wake.wait()
                wake.clear()
                for text in self._room.take(page):
                    await socket.send_text(text)
        except (WebSocketDisconnect, RuntimeError):
            pass                            # the page went while it was being told; the reader says goodbye


class _Http(H11Protocol):
    """uvicorn's HTTP, closed to floods: of more connections than the limit, and of such that never ask."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Drop a connection too many; watch the others until they have asked for something."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTION_LIMIT:
            transport.abort()
        else:
            self.loop.call_later(HEAD_TIMEOUT_S, self._drop_if_silent)

    def _drop_if_silent(self) -> None:
        if self in self.connections and self.cycle is None:  # None until the first request, whatever its type says
            self.transport.close()  # type: ignore[unreachable]


class _Socket(WSProtocol):
    """uvicorn's WebSocket, with two endings mended."""

    def keepalive_timeout(self) -> None:
        """Cut a browser off that is lost to the pings.

        Closing politely would wait until a stalled browser has read all it was sent, that is for ever.
        """
        super().keepalive_timeout()
        self.transport.abort()

    def shutdown(self) -> None:
        """Say goodbye, unless the page has just done so: uvicorn would raise then, and leave all others open."""
        try:
            super().shutdown()
        except LocalProtocolError:
            self.transport.close()


class _Quiet(uvicorn.Server):
    """uvicorn's server without its ten wake-ups a second: it sleeps until it is to close."""

    def __init__(self, config: uvicorn.Config, ready: threading.Event, closing: asyncio.Event) -> None:
        super().__init__(config)
        self._ready = ready
        self._closing = closing

    async def main_loop(self) -> None:
        self._ready.set()
        await self._closing.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        for server in self.servers:     # asyncio loses sight of who was let in just before it closes (Server._attach)
            for listening in server.sockets:
                loop.remove_reader(listening)
        await asyncio.sleep(0)
        try:
            await super().shutdown(sockets)
        finally:
            for connection in self.server_state.connections:    # whoever came in at the last moment
                connection.transport.abort()
            await asyncio.sleep(0)
