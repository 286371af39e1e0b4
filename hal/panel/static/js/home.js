/** Which unit it is to be: a card for each, drawn small. Only the unit itself remembers what was chosen. */

import { make, put, svg } from "./dom.js";

const ring = (count, radius, r) => Array.from({ length: count }, (_, at) => {
  const turn = at / count * 2 * Math.PI;
  return svg("circle", { cx: (32 + radius * Math.sin(turn)).toFixed(1), cy: (32 - radius * Math.cos(turn)).toFixed(1), r });
});
const DRAWINGS = {
  "triple-play": () => [6, 25, 44].map((x) => svg("rect", { x, y: 16, width: 14, height: 24, rx: 3 })).concat(svg("path", { d: "M8 50h26" }), svg("circle", { cx: 50, cy: 50, r: 6 })),
  "master": () => [svg("circle", { cx: 32, cy: 32, r: 25 }), svg("circle", { cx: 32, cy: 32, r: 17 }), svg("path", { d: "M32 22v10l7 4" })],
  "spin": () => [svg("circle", { cx: 32, cy: 32, r: 26 }), svg("circle", { cx: 32, cy: 32, r: 12 }), svg("path", { d: "M32 10l6 12h-12z" }), svg("path", { d: "M14 14l9 9M50 14l-9 9M14 50l9-9M50 50l-9-9" })],
  "party": () => [svg("circle", { cx: 32, cy: 32, r: 15 }), ...ring(8, 25, 3.6)],
};

export class Home {
  constructor(send) {
    this.send = send;
    this.dialog = document.getElementById("home");
    this.open = document.getElementById("open-home");
    this.open.addEventListener("click", () => this.dialog.showModal());
    this.dialog.addEventListener("click", ({ target }) => { if (target === this.dialog) this.dialog.close(); });   // beside it
    this.asked = false;
  }

  /** *units* are those that can be chosen, *unit* is the present one; *choose*: nobody has chosen yet. */
  show({ units = [], unit, choose = false, owner = true }, words) {
    const may = owner && units.length > 1;
    this.open.disabled = !may;
    put(this.open, "aria-haspopup", may ? "dialog" : "false");
    const close = make("button.chip.rules-close", { type: "button" }, words.say("close"));
    close.addEventListener("click", () => this.dialog.close());
    this.dialog.replaceChildren(close, make("h2", { id: "home-title" }, words.say("home.title")),
      make("div.home-units", {}, ...units.map((name) => this.card(name, name === unit, words))), make("p.fine", {}, words.say("home.note")));
    if (may && choose && !this.asked) this.dialog.showModal();
    if (!choose || !may) { if (this.dialog.open && this.asked) this.dialog.close(); }
    this.asked = choose && may;
  }

  card(name, present, words) {
    const card = make("button.home-unit", { type: "button", "data-unit": name, "aria-current": present ? "true" : false, autofocus: present },
      svg("svg", { viewBox: "0 0 64 64", "aria-hidden": "true", fill: "none", stroke: "currentColor", "stroke-width": 2.4, "stroke-linejoin": "round", "stroke-linecap": "round" }, ...(DRAWINGS[name]?.() ?? [])),
      make("strong", {}, words.say(`unit.${name}`)), make("span", {}, words.say(`home.${name}`)));
    card.addEventListener("click", () => { this.send({ unit: name }); this.dialog.close(); });
    return card;
  }
}
