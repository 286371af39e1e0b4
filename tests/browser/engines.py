"""Two more engines than chromium, driven over what Debian ships: Firefox by WebDriver BiDi, WebKit by WebDriver.

Both take JavaScript that is awaited and the input actions of the standard. Neither needs a driver from elsewhere.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import socket
import subprocess
import time
from pathlib import Path
from threading import Thread
from typing import IO, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from wsproto import ConnectionType, WSConnection
from wsproto import events as ws

PATIENCE_S = 15
START_S = 60
WIDE, NARROW = (1280, 800), (480, 844)      # WebKit's test browser is never narrower than its tool bar
ENTER, ESCAPE = "\ue007", "\ue00c"          # keys without a character, as the standard writes them
UNTIL = """new Promise((done, failed) => {
    const end = performance.now() + %d;
    const look = () => (%s) ? done(true)
        : performance.now() > end ? failed(new Error(%s + " never came")) : setTimeout(look, 20);
    look();
})"""
PREFERENCES = {
    "app.update.enabled": False, "browser.shell.checkDefaultBrowser": False, "intl.accept_languages": "en-GB",
    "datareporting.policy.dataSubmissionEnabled": False, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "toolkit.telemetry.enabled": False,
}


class Engine:
    """A page in a browser: what a person does and sees there. `complaints` is what went wrong in it."""

    complaints: list[str]

    def open(self, url: str) -> None:
        raise NotImplementedError

    def ask(self, javascript: str) -> Any:
        """Return what the expression *javascript* comes to; a promise is awaited."""
        raise NotImplementedError

    def act(self, kind: str, *actions: dict[str, Any]) -> None:
        """Do *actions* in turn, with the `key` or the `pointer` device."""
        raise NotImplementedError

    def resize(self, width: int, height: int) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def until(self, condition: str) -> None:
        """Return once *condition* (JavaScript) is true in the page."""
        self.ask(UNTIL % (PATIENCE_S * 1000, condition, json.dumps(condition)))

    def see(self, selector: str) -> None:
        self.until(f"document.querySelector({json.dumps(selector)})")

    def press(self, key: str) -> None:
        """Press *key* as a hand does: down and up for longer than a contact bounces (C-11)."""
        pause = {"type": "pause", "duration": 60}
        self.act("key", {"type": "keyDown", "value": key}, pause, {"type": "keyUp", "value": key}, pause)

    def click(self, selector: str) -> None:
        x, y = self.ask(f"""(() => {{
            const found = document.querySelector({json.dumps(selector)});
            found.scrollIntoView({{block: "nearest"}});
            const box = found.getBoundingClientRect();
            return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
        }})()""")
        self.act("pointer", {"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0},
                 {"type": "pause", "duration": 60}, {"type": "pointerUp", "button": 0})


class Program:
    """A program that says at its start what to know of it (`told`); what it says later is read and forgotten."""

    def __init__(self, words: list[str], pipe: str, pattern: str) -> None:
        """Start *words* and wait until its *pipe*, `stdout` or `stderr`, has a line with *pattern*."""
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, pipe: subprocess.PIPE}
        self._process = subprocess.Popen(words, text=True, **pipes)
        self._pipe: IO[str] = getattr(self._process, pipe)
        found = next((found for line in self._pipe if (found := re.search(pattern, line))), None)
        assert found is not None, f"{words[0]} ended without saying {pattern}"
        self.told = found[1]
        self._rest = Thread(target=self._pipe.read)
        self._rest.start()

    def wait(self) -> None:
        self._process.wait(START_S)
        self._rest.join()
        self._pipe.close()

    def end(self) -> None:
        self._process.terminate()
        self.wait()


def wait_for_listener(port: int) -> None:
    """Return once somebody takes connections at *port*; a driver does not say when it does."""
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            continue
        return
    raise AssertionError(f"nobody listens at {port}")


def sources(kind: str, actions: tuple[dict[str, Any], ...]) -> list[dict[str, Any]]:
    """Return *actions* as the standard wants them."""
    return [{"type": kind, "id": f"the {kind}", "actions": list(actions)}]


class Firefox(Engine):
    """Firefox without a window. It speaks BiDi itself."""

    def __init__(self, program: str, folder: Path) -> None:
        """Start *program* with a new profile in *folder*."""
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()]
        (folder / "user.js").write_text("".join(lines))
        self.complaints = []
        self._numbers = itertools.count(1)
        self._heard: list[Any] = []
        self._browser = Program(
            [program, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0"],
            "stderr", r"BiDi listening on ws://127\.0\.0\.1:(\d+)")
        port = int(self._browser.told)
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=START_S)
        self._wire = WSConnection(ConnectionType.CLIENT)
        self._send(ws.Request(host=f"127.0.0.1:{port}", target="/session"))
        self._read()
        self._tell("session.new", capabilities={})
        self._tell("session.subscribe", events=["log.entryAdded"])
        # The tab that is there at the start never gets the focus.
        self._page = self._tell("browsingContext.create", type="tab")["context"]
        self.resize(*WIDE)

    def open(self, url: str) -> None:
        self._tell("browsingContext.navigate", context=self._page, url=url, wait="complete")

    def ask(self, javascript: str) -> Any:
        answer = self._tell("script.evaluate", awaitPromise=True, target={"context": self._page},
                            expression=f"(async () => JSON.stringify(await ({javascript})))()")
        if answer["type"] == "exception":
            raise AssertionError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"].get("value", "null"))

    def act(self, kind: str, *actions: dict[str, Any]) -> None:
        self._tell("input.performActions", context=self._page, actions=sources(kind, actions))

    def resize(self, width: int, height: int) -> None:
        self._tell("browsingContext.setViewport", context=self._page, viewport={"width": width, "height": height})

    def close(self) -> None:
        self._tell("browser.close")
        self._socket.close()
        self._browser.wait()

    def _tell(self, method: str, **parameters: Any) -> Any:
        """Send a command and return its answer; on the way keep what the console says."""
        number = next(self._numbers)
        self._send(ws.TextMessage(data=json.dumps({"id": number, "method": method, "params": parameters})))
        while True:
            message = self._read()
            if message.get("method") == "log.entryAdded" and message["params"]["level"] in ("error", "warn"):
                self.complaints.append(message["params"]["text"])
            if message.get("id") == number:
                if message["type"] == "error":
                    raise AssertionError(f"{method}: {message['message']}")
                return message["result"]

    def _read(self) -> Any:
        """Return the next message; the first one is None: the connection is accepted."""
        parts: list[str] = []
        while True:
            while not self._heard:
                self._wire.receive_data(self._socket.recv(65536) or None)
                self._heard += self._wire.events()
            match self._heard.pop(0):
                case ws.AcceptConnection():
                    return None
                case ws.Ping() as ping:
                    self._send(ping.response())
                case ws.TextMessage(data=data, message_finished=finished):
                    parts.append(data)
                    if finished:
                        return json.loads("".join(parts))
                case ws.CloseConnection() | ws.RejectConnection() as end:
                    raise AssertionError(f"Firefox hung up: {end}")

    def _send(self, event: Any) -> None:
        self._socket.sendall(self._wire.send(event))


class WebKit(Engine):
    """WebKit, the engine of Safari, in the test browser of its GTK port, on a screen of its own.

    Its driver does not tell what the console says, so the page is listened to from the moment that it is there.
    """

    LISTEN = """(() => {
        window.complaints = [];
        const note = (what) => window.complaints.push(String(what));
        addEventListener("error", (event) => note(event.message));
        addEventListener("unhandledrejection", (event) => note(event.reason));
        addEventListener("securitypolicyviolation", (event) => note(`${event.violatedDirective} ${event.blockedURI}`));
        for (const how of ["error", "warn"]) console[how] = (...said) => note(said.join(" "));
    })()"""

    def __init__(self, program: str) -> None:
        """Start *program*, the driver, with a virtual screen."""
        self._screen = Program(["Xvfb", "-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"],
                               "stdout", r"(\d+)")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        surroundings = {**os.environ, "DISPLAY": f":{self._screen.told}", "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1"}
        self._driver = subprocess.Popen([program, f"--port={port}"], env=surroundings,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._url = f"http://127.0.0.1:{port}"
        wait_for_listener(port)
        wanted = {"alwaysMatch": {"webkitgtk:browserOptions": {"args": ["--automation"]}}}
        self._url += f"/session/{self._tell('POST', '/session', capabilities=wanted)['sessionId']}"
        self._tell("POST", "/timeouts", script=START_S * 1000)
        self._listens = False
        self.resize(*WIDE)

    @property
    def complaints(self) -> list[str]:  # type: ignore[override]
        return self.ask("window.complaints") if self._listens else []

    def open(self, url: str) -> None:
        self._tell("POST", "/url", url=url)
        self.ask(self.LISTEN)
        self._listens = True

    def ask(self, javascript: str) -> Any:
        how, answer = self._tell("POST", "/execute/async", args=[], script=f"""
            const done = arguments[0];
            (async () => JSON.stringify(await ({javascript})) ?? "null")().then(
                (value) => done(["value", value]), (error) => done(["error", String(error)]));""")
        if how == "error":
            raise AssertionError(answer)
        return json.loads(answer)

    def act(self, kind: str, *actions: dict[str, Any]) -> None:
        self._tell("POST", "/actions", actions=sources(kind, actions))

    def resize(self, width: int, height: int) -> None:
        """Give the page this size: the window is larger by its tool bar."""
        around = self._tell("POST", "/window/rect", x=0, y=0, width=width, height=height)
        inner = self.ask("[innerWidth, innerHeight]")
        self._tell("POST", "/window/rect", x=0, y=0, width=around["width"] + width - inner[0],
                   height=around["height"] + height - inner[1])
        self.until(f"innerWidth === {width} && innerHeight === {height}")

    def close(self) -> None:
        self._tell("DELETE", "")
        self._driver.terminate()
        self._driver.wait(START_S)
        self._screen.end()

    def _tell(self, method: str, path: str, **body: Any) -> Any:
        data = json.dumps(body).encode() if method == "POST" else None
        try:
            with urlopen(Request(self._url + path, method=method, data=data), timeout=START_S) as answer:
                return json.load(answer)["value"]
        except HTTPError as refused:
            raise AssertionError(f"{path}: {refused.read().decode()}") from None
