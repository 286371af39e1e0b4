/** Fingers, mouse and keys on contacts: several at once, and never one left down by a page that is looked away from. */

const STILL_MS = 1000;             // how often the page says that it still holds something

export class Touch {
  /** `send(message)` tells the unit; `changed()` is called when what is held here has changed; while `away()` nothing is pressed. */
  constructor(send, changed, away = () => false) {
    this.away = away;
    this.send = send;
    this.changed = changed;
    this.held = new Map();                              // contact → what holds it: pointers and keys
    this.keys = new Map();                              // key → contact
    this.pressedKeys = new Map();                       // key that is down → contact it closed
    this.still = null;
    this.bounces = false;                               // the fault bench: every edge chatters
    addEventListener("keydown", (event) => this.keyDown(event));
    addEventListener("keyup", (event) => this.keyUp(event));
    addEventListener("blur", () => this.letGo());
    addEventListener("pagehide", () => this.letGo());
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.letGo(); });
  }

  /** Make *element* the button of contact *name*; *key* presses it from anywhere on the page. */
  attach(element, name, key) {
    if (key) this.keys.set(key, name);
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      element.setPointerCapture(event.pointerId);
      this.press(name, event.pointerId);
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      element.addEventListener(end, (event) => this.release(name, event.pointerId));
    }
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("click", (event) => {      // a screen reader's click has neither pointer nor key
      if (event.detail === 0 && event.pointerType === "") this.tap(name);
    });
  }

  press(name, by) {
    const holders = this.held.get(name) ?? new Set();
    if (holders.has(by) || this.away()) return;
    this.held.set(name, holders.add(by));
    if (holders.size === 1) this.edge({ press: name }, { release: name });
    this.still ??= setInterval(() => this.send({ still: true }), STILL_MS);
    this.changed();
  }

  release(name, by) {
    const holders = this.held.get(name);
    if (!holders?.delete(by)) return;
    if (holders.size === 0) { this.held.delete(name); this.edge({ release: name }, { press: name }); }
    this.settle();
  }

  /** Send an edge, and its bounces where contacts bounce. */
  edge(to, back) {
    for (const message of this.bounces ? [to, back, to, back, to] : [to]) this.send(message);
  }

  tap(name) {
    this.press(name, "tap");
    setTimeout(() => this.release(name, "tap"), 120);
  }

  letGo() {
    for (const [name, holders] of [...this.held]) for (const by of [...holders]) this.release(name, by);
    this.pressedKeys.clear();
  }

  /** Forget what was held: the link is lost, and the unit has let go by itself. */
  forget() {
    this.held.clear();
    this.pressedKeys.clear();
    this.settle();
  }

  settle() {
    if (this.held.size === 0 && this.still !== null) { clearInterval(this.still); this.still = null; }
    this.changed();
  }

  keyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const name = this.meant(event);
    if (name === undefined) return;
    event.preventDefault();
    if (event.repeat || this.pressedKeys.has(event.code)) return;
    this.pressedKeys.set(event.code, name);
    this.press(name, event.code);
  }

  keyUp(event) {
    const name = this.pressedKeys.get(event.code);
    if (name === undefined) return;
    event.preventDefault();
    this.pressedKeys.delete(event.code);
    this.release(name, event.code);
  }

  /** The contact a key means: the button that has the focus, else the one whose key it is. */
  meant(event) {
    const active = document.activeElement;
    const focus = active?.checkVisibility?.() === false ? null : active;            // its dialog has just been closed
    const own = focus?.closest?.("[data-input]")?.dataset.input;
    if (event.key === " " || event.key === "Enter") {
      if (own !== undefined) return own;
      if (focus?.closest?.("button, select, input, textarea, a, dialog, [role=switch]")) return undefined;
    }
    if (focus?.closest?.("select, input, textarea, dialog")) return undefined;
    return this.keys.get(event.key);
  }
}
