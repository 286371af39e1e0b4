/** The one socket: comes back by itself, gives whole messages, and says how it stands. */

const SOONEST_MS = 250;
const LATEST_MS = 5000;
const FULL = 1013;                 // the server has as many pages as it takes

export class Link {
  /** `on.hello(message)`, `on.moment(lines)`, `on.note(message)`, `on.link(how, why)`; *how* is one of
      `connecting`, `open`, `lost`, `full`, `outdated`, `denied`. */
  constructor(on) {
    this.on = on;
    this.version = null;
    this.delay = SOONEST_MS;
    this.timer = null;
    this.socket = null;
    this.ended = false;
    this.guarded = false;                               // the panel has a token, which another start of the program changes
    addEventListener("online", () => this.hurry());
    addEventListener("pageshow", () => this.hurry());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.hurry(); });
    this.open();
  }

  get isOpen() { return this.socket !== null && this.socket.readyState === WebSocket.OPEN; }

  /** Send one message; what is sent while the link is lost is lost too (a press must not arrive late). */
  send(message) { if (this.isOpen) this.socket.send(JSON.stringify(message)); }

  open() {
    this.timer = null;
    this.greeted = false;
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
    this.socket = socket;
    socket.onmessage = ({ data }) => this.take(data);
    socket.onclose = ({ code, reason }) => { if (socket === this.socket) this.lost(code, reason); };
  }

  take(data) {
    const lines = data.split("\n").filter(Boolean).map((line) => JSON.parse(line));
    if ("t" in (lines[0] ?? {})) { this.on.moment(lines); return; }
    for (const message of lines) {
      if ("hello" in message) this.greet(message);
      else this.on.note(message);
    }
  }

  greet(hello) {
    this.delay = SOONEST_MS;
    if (this.version !== null && this.version !== hello.version) {
      this.ended = true;                            // this page's code is of another version: a reload is due
      this.socket.close();
      this.on.link("outdated", hello.version);
      return;
    }
    this.version = hello.version;
    this.guarded = "owner" in hello;
    this.greeted = true;
    this.denied = false;
    this.on.link("open", "");
    this.on.hello(hello);
  }

  lost(code, reason) {
    if (this.ended) return;
    this.on.link(code === FULL ? "full" : this.denied ? "denied" : "lost", reason);
    if (this.guarded && !this.greeted && code !== FULL) this.ask();
    const wait = code === FULL ? LATEST_MS : this.delay * (0.75 + Math.random() / 2);
    this.delay = Math.min(this.delay * 1.7, LATEST_MS);
    this.timer = setTimeout(() => this.open(), wait);
  }

  /** A socket that is refused does not say why; a request does. */
  async ask() {
    try {
      const { status } = await fetch("/unit.json", { method: "HEAD" });
      this.denied = status === 403 || status === 429;
      if (this.denied) this.on.link("denied", "");
    } catch { /* nobody is there: it stays lost */ }
  }

  /** Try again at once: the network or the player is back. */
  hurry() {
    if (this.timer === null || this.ended) return;
    clearTimeout(this.timer);
    this.delay = SOONEST_MS;
    this.open();
  }
}
