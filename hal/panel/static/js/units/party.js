/** A table with a seat's light before each player, the direction, links, and three buttons. */

import { putSign, sign } from "../colours.js";
import { make, put, svg } from "../dom.js";
import { Display } from "../display.js";
import { Knob, led, putLook, Slide } from "../parts.js";
import { displayLabel, eventText, screws } from "./common.js";

const WIDE = 44, HIGH = 41;        // half axes of the ring, in percent of the table

export class Party {
  static keys = [["␣", "GO"], ["r", "button.reverse"], ["n", "button.next"]];

  constructor({ model, touch, send, glyphs }) {
    this.players = model.setting("party", "players", 8);
    this.display = new Display(4, glyphs);
    this.power = new Slide("power", model.header.switches.power, (to) => send({ switch: "power", to }));
    this.knobs = { reverse: new Knob("reverse", "⇄", "R"), go: new Knob("go", "GO", "␣"), next: new Knob("next", "›", "N") };
    for (const [name, key] of [["go", " "], ["reverse", "r"], ["next", "n"]]) touch.attach(this.knobs[name].element, name, key);
    this.seats = Array.from({ length: this.players }, (_, at) => this.seat(at));
    this.link = svg("path.party-link");
    this.arrow = svg("path.party-arrow", { d: "M-30 -8 A31 31 0 1 1 -10 29.4 M-10 29.4 l12 -10 M-10 29.4 l12 11" });
    this.direction = make("span.party-direction", { "aria-hidden": "true" });
    this.table = make("div.party-table", {},
      svg("svg.party-felt", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("ellipse.party-top", { cx: 50, cy: 50, rx: WIDE - 8, ry: HIGH - 12 }), this.link),
      ...this.seats.map(({ element }) => element),
      make("div.party-middle", {}, svg("svg.party-turn", { viewBox: "-46 -46 92 92", "aria-hidden": "true" }, this.arrow), this.direction, this.display.element));
    this.element = make("section.case.party", {}, ...screws(), this.table,
      make("div.party-desk", {}, this.power.element, this.knobs.reverse.element, this.knobs.go.element, this.knobs.next.element));
  }

  seat(at) {
    const angle = at / this.players * 2 * Math.PI;
    const [x, y] = [50 + WIDE * Math.sin(angle), 50 - HIGH * Math.cos(angle)];
    const [lamp, mark] = [led(), sign("seat-sign")];
    lamp.classList.add("is-lit");
    const element = make("span.seat", { "data-seat": at + 1 }, lamp, make("span.seat-number", {}, String(at + 1)), mark);
    element.style.left = `${x}%`;
    element.style.top = `${y}%`;
    element.style.setProperty("--at", at);
    element.style.setProperty("--of", this.players);
    return { element, mark, x, y };
  }

  show(model, words, down) {
    put(this.element, "aria-label", words.say("unit.party"));
    this.seats.forEach(({ element, mark }, at) => {
      const look = model.look(`seat${at + 1}`);
      putLook(element, look);
      putSign(mark, look);
    });
    this.showLink(model);
    this.showDirection(model, words);
    for (const [name, knob] of Object.entries(this.knobs)) knob.show({ label: words.say(`button.${name}`), down: down.has(name) });
    this.display.show(model.broken.has("display") ? { text: "", pattern: "" } : model.display, displayLabel(model, words));
    this.power.show(model.switches.power, words.say("switch.power"), words.say(`switch.${model.switches.power}`));
    const holds = ["clockwise", "counter", "linking", "volume"].includes(model.state);
    if (down.has("go") && holds) this.knobs.go.hold.start(model.setting("party", "hold_for_volume", 3), [model.setting("party", "hold_to_link", 1)]);
    else this.knobs.go.hold.stop();
  }

  /** A line between the two seats that stand purple. */
  showLink(model) {
    const purple = this.seats.filter((_, at) => { const look = model.look(`seat${at + 1}`); return look.colour === "purple" && look.pattern === ""; });
    this.link.classList.toggle("is-shown", purple.length === 2);
    if (purple.length !== 2) return;
    const [a, b] = purple;
    const [x, y] = [(a.x + b.x) / 2, (a.y + b.y) / 2];
    const opposite = Math.hypot(x - 50, y - 50) < 14;   // past the display then, else over the table
    const over = opposite ? [x + (b.y - a.y) * 0.55, y + (a.x - b.x) * 0.55] : [x + (50 - x) * 0.7, y + (50 - y) * 0.7];
    put(this.link, "d", `M${a.x} ${a.y}Q${over[0]} ${over[1]} ${b.x} ${b.y}`);
  }

  showDirection(model, words) {
    const last = model.drawn.direction?.to;
    const back = model.state === "counter" || (model.state !== "clockwise" && last === "ccw");
    const on = !["off", "asleep", "volume"].includes(model.state);
    put(this.table, "data-direction", on ? (back ? "back" : "on") : "none");
    put(this.direction, "text", on ? words.say(back ? "party.back" : "party.on") : "");
  }

  prompt(model, words) { return words.say(`prompt.party.${model.state}`, { volume: model.display.text }); }

  describe(event, words) { return eventText(event, words, "party"); }
}
