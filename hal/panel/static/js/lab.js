/** The fault bench (`--lab`): everything that can go wrong with a unit, by click. */

import { make, put } from "./dom.js";

const HELD_BY = "lab";
const LATE_MS = 400;               // by how much the game oversleeps when it is to be late

export class Lab {
  constructor(parts, touch, send) {
    this.parts = parts;
    this.touch = touch;
    this.send = send;
    this.element = document.getElementById("lab");
    this.element.hidden = false;
    this.heading = make("h2", { id: "lab-title" });
    this.list = make("div.lab-list");
    this.element.replaceChildren(this.heading, this.list);
  }

  hide() { this.element.hidden = true; }

  show(model, words) {
    const part = (name) => words.say(`part.${name}`);
    const pads = this.parts.filter((name) => model.header.inputs.includes(name));
    put(this.heading, "text", words.say("lab.title"));
    this.draw([
      ...this.parts.map((name) => [words.say("lab.break", { part: part(name) }), model.broken.has(name),
        () => this.send(model.broken.has(name) ? { mend: name } : { break: name, why: words.say("lab.title") })]),
      ...pads.map((name) => [words.say("lab.stuck", { part: part(name) }), this.touch.held.get(name)?.has(HELD_BY) ?? false,
        () => (this.touch.held.get(name)?.has(HELD_BY) ? this.touch.release(name, HELD_BY) : this.touch.press(name, HELD_BY))]),
      [words.say("lab.bounce"), this.touch.bounces, () => { this.touch.bounces = !this.touch.bounces; this.touch.changed(); }],
      [words.say("lab.battery"), model.battery === "low", () => this.send({ battery: model.battery === "low" ? "ok" : "low" })],
      [words.say("lab.late"), model.late > 0, () => this.send({ late: model.late > 0 ? 0 : LATE_MS })],
      [words.say("lab.unplug"), null, () => this.send({ unplug: true })],
    ]);
  }

  /** Keep the buttons that are there, so that the one with the focus stays. */
  draw(wanted) {
    while (this.list.children.length < wanted.length) this.list.append(make("button.chip", { type: "button" }));
    wanted.forEach(([text, on, act], at) => {
      const button = this.list.children[at];
      put(button, "text", text);
      if (on !== null) put(button, "aria-pressed", on);
      button.onclick = act;
    });
  }
}
