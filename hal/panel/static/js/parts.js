/** The parts units are built of. Each gives its element and takes what is shown on it; nothing here knows a game. */

import { putSign, sign, SIGN } from "./colours.js";
import { make, put, svg } from "./dom.js";

/** Give *element* a look; the style sheet does the rest, and nothing runs while nothing moves. */
export function putLook(element, { colour, pattern }) {
  put(element, "data-colour", colour);
  put(element, "data-pattern", pattern);
}

export const led = () => make("span.led", { "aria-hidden": "true" }, make("span.light"));

/** A counter of three LEDs: how many are lit says the level as well as their colour does. */
export class Counter {
  static LIT = { off: 0, green: 1, yellow: 2 };         // any other colour lights all three

  constructor() {
    this.leds = [led(), led(), led()];
    this.word = make("span.counter-word");
    this.bar = make("span.counter-bar", {}, ...this.leds);
    this.element = make("div.counter", {}, this.bar, this.word);
  }

  show(look, word) {
    putLook(this.bar, look);
    const lit = Counter.LIT[look.colour] ?? 3;
    this.leds.forEach((one, at) => one.classList.toggle("is-lit", at < lit));
    put(this.word, "text", word ? `${SIGN[look.colour] ?? ""} ${word}`.trim() : "");
  }
}

/** A pad with light round its plate. */
export class Pad {
  constructor(name, number, key) {
    this.number = make("span.pad-number", { "aria-hidden": "true" }, String(number));
    this.word = make("span.pad-word", { "aria-hidden": "true" });
    this.hold = new HoldRing();
    this.sign = sign("pad-sign");
    this.element = make("button.pad", { type: "button", "data-input": name, "data-down": "false" },
      make("span.pad-rim"), make("span.light.pad-bloom"), make("span.light.pad-glow"),
      make("span.pad-plate", {}, make("span.pad-card", {}, make("span.light.pad-texture"), this.number, this.sign, this.hold.element), this.word, make("span.light.pad-spill")),
      make("span.key-hint", { "aria-hidden": "true" }, key));
    for (const layer of this.element.querySelectorAll(".pad-bloom, .pad-glow, .pad-spill")) layer.style.position = "absolute";
  }

  show(look, { word, label, down, broken }) {
    putLook(this.element, look);
    putSign(this.sign, look);
    put(this.word, "text", word);
    put(this.element, "aria-label", label);
    put(this.element, "data-down", down);
    put(this.element, "data-broken", broken);
  }
}

/** A round button: GO and its kin. */
export class Knob {
  constructor(name, text, key = "") {
    this.hold = new HoldRing();
    this.cap = make("span.knob-cap", { "aria-hidden": "true" }, text);
    this.element = make("button.knob", { type: "button", "data-input": name, "data-down": "false" }, this.cap, this.hold.element,
      key ? make("span.key-hint", { "aria-hidden": "true" }, key) : null);
  }

  show({ label, down }) {
    put(this.element, "aria-label", label);
    put(this.element, "data-down", down);
  }
}

/** A slide switch with the places the unit gives it. `onMove(to)` is called with the place it should go to. */
export class Slide {
  constructor(name, places, onMove) {
    this.places = places;
    this.at = places[0];
    this.legend = make("span.legend", { id: `legend-${name}` });
    this.word = make("span.slide-word", { "aria-hidden": "true" });
    const twoPlaces = places.length === 2 && places.includes("on");
    this.element = make("div.slide-set", { "data-switch": name }, this.legend,
      this.button = make("button.slide", twoPlaces
        ? { type: "button", role: "switch", "aria-checked": "false", "aria-labelledby": `legend-${name}` }
        : { type: "button", role: "slider", "aria-valuemin": 0, "aria-valuemax": places.length - 1, "aria-valuenow": 0, "aria-labelledby": `legend-${name}` },
      twoPlaces ? make("span.slide-on") : null, make("span.slide-thumb")),
      this.word);
    this.button.style.setProperty("--places", places.length);
    this.button.addEventListener("click", (event) => onMove(this.pointed(event)));
    if (!twoPlaces) this.button.addEventListener("keydown", (event) => this.key(event, onMove));
  }

  /** The place a click means: the one under the pointer where there are several, else the next one. */
  pointed(event) {
    if (this.places.length > 2 && event.detail > 0) {
      const box = this.button.getBoundingClientRect();
      const at = Math.floor((event.clientX - box.left) / box.width * this.places.length);
      return this.places[Math.min(Math.max(at, 0), this.places.length - 1)];
    }
    return this.places[(this.places.indexOf(this.at) + 1) % this.places.length];
  }

  key(event, onMove) {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    const to = this.places[this.places.indexOf(this.at) + (step ?? 0)];
    if (step === undefined) return;
    event.preventDefault();
    if (to !== undefined) onMove(to);
  }

  show(at, legend, word) {
    this.at = at;
    const place = this.places.indexOf(at);
    this.button.style.setProperty("--place", place);
    put(this.legend, "text", legend);
    put(this.word, "text", word);
    if (this.button.getAttribute("role") === "switch") put(this.button, "aria-checked", at === "on");
    else { put(this.button, "aria-valuenow", place); put(this.button, "aria-valuetext", word); }
  }
}

/** A ring that fills while something is held, with a mark for each thing that a longer hold does. */
export class HoldRing {
  constructor() {
    const circle = (name, more = {}) => svg(`circle.${name}`, { cx: 50, cy: 50, r: 44, pathLength: 100, ...more });
    this.fill = circle("hold-fill");
    this.marks = svg("g");
    this.element = svg("svg.hold", { viewBox: "0 0 100 100", "aria-hidden": "true" }, circle("hold-track"), this.fill, this.marks);
    this.run = null;
  }

  /** Fill within *seconds*; *marks* are earlier moments of the hold, in seconds. A ring that runs goes on. */
  start(seconds, marks = []) {
    if (this.run) return;
    this.marks.replaceChildren(...marks.map((at) => {
      const mark = svg("circle.hold-mark", { cx: 50, cy: 50, r: 44, pathLength: 100, "stroke-dasharray": "1.6 98.4" });
      mark.setAttribute("transform", `rotate(${at / seconds * 360 - 93} 50 50)`);
      return mark;
    }));
    this.run = this.fill.animate([{ strokeDashoffset: 100 }, { strokeDashoffset: 0 }], { duration: seconds * 1000, fill: "forwards" });
    this.shown = setTimeout(() => this.element.classList.add("is-running"), 220);       // a tap shows no ring
  }

  stop() {
    if (!this.run) return;
    clearTimeout(this.shown);
    this.element.classList.remove("is-running");
    this.run.cancel();
    this.run = null;
  }
}
