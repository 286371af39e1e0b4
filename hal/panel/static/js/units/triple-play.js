/** Three pads with light and counter, GO, display, and the switches for power and timer. */

import { make } from "../dom.js";
import { Display } from "../display.js";
import { Counter, Knob, Pad, Slide } from "../parts.js";
import { displayLabel, eventText, screws } from "./common.js";

const PILES = [1, 2, 3];

export class TriplePlay {
  static keys = [["1", ""], ["2", ""], ["3", "keys.piles"], ["␣", "GO"]];

  constructor({ model, touch, send, glyphs }) {
    this.pads = new Map(PILES.map((n) => [`pile${n}`, new Pad(`pile${n}`, n, String(n))]));
    this.counters = new Map(PILES.map((n) => [`counter${n}`, new Counter()]));
    this.go = new Knob("go", "GO", "␣");
    this.display = new Display(4, glyphs);
    const slide = (name) => new Slide(name, model.header.switches[name], (to) => send({ switch: name, to }));
    this.slides = { power: slide("power"), timer: slide("timer") };
    for (const [name, pad] of this.pads) touch.attach(pad.element, name, name.at(-1));
    touch.attach(this.go.element, "go", " ");
    this.seconds = (name, otherwise) => model.setting("triple_play", name, otherwise);
    this.element = make("section.case.triple", {}, ...screws(),
      make("div.triple-piles", {}, ...PILES.map((n) => make("div.triple-pile", {},
        this.counters.get(`counter${n}`).element, this.pads.get(`pile${n}`).element))),
      make("div.triple-desk", {}, this.slides.power.element, this.display.element, this.go.element, this.slides.timer.element));
  }

  /** Draw the unit as *model* says it stands; *down* are the contacts that are down here or on another page. */
  show(model, words, down) {
    this.element.setAttribute("aria-label", words.say("unit.triple-play"));
    for (const [name, pad] of this.pads) this.showPad(name, pad, model, words, down);
    for (const [name, counter] of this.counters) counter.show(model.look(name), counterWord(model, name, words));
    this.go.show({ label: words.say("button.go"), down: down.has("go") });
    this.display.show(model.broken.has("display") ? { text: "", pattern: "" } : model.display, displayLabel(model, words));
    for (const [name, slide] of Object.entries(this.slides)) {
      slide.show(model.switches[name], words.say(`switch.${name}`), words.say(`switch.${model.switches[name]}`));
    }
    this.showHolds(model, down);
  }

  showPad(name, pad, model, words, down) {
    const look = model.look(name);
    const n = name.at(-1);
    const word = words.say(`light.${padWord(look)}`);
    const level = counterWord(model, `counter${n}`, words);
    pad.show(look, {
      word, down: down.has(name), broken: model.broken.has(name),
      label: [words.say("pile", { pile: n }), word || words.say("light.dark"), level && words.say("counter.is", { level })].filter(Boolean).join(", "),
    });
  }

  showHolds(model, down) {
    for (const [name, pad] of this.pads) {
      const holding = model.state === "holding" && down.has(name) && model.look(name).pattern === "flash" && model.look(name).colour === "white";
      if (holding) pad.hold.start(this.seconds("hold_to_clear", 2), [this.seconds("warn_clear", 1)]);
      else pad.hold.stop();
    }
    const useful = ["playing", "paused"].includes(model.state) || (this.go.hold.run && model.state === "volume");
    if (down.has("go") && useful) this.go.hold.start(this.seconds("hold_for_new_round", 6), [this.seconds("hold_for_volume", 3)]);
    else this.go.hold.stop();
  }

  /** What the players are to do now. */
  prompt(model, words) {
    const places = {
      piles: words.either(playable(model)),
      pile: model.drawn.overload?.pile ?? "",
      draw: words.number(Number(model.display.text) || (model.drawn[model.state]?.draw ?? 0)),
      volume: model.display.text,
    };
    if (model.state === "playing" && !playable(model).length) return words.say("prompt.triple.none");
    return words.say(`prompt.triple.${model.state}`, places);
  }

  describe(event, words) { return eventText(event, words, "triple"); }
}

/** The piles of this turn: they are dark for a moment before they light up. None while all pads are broken. */
function playable(model) {
  const lit = litPiles(model);
  return lit.length || model.display.text.trim() === "E" ? lit : model.drawn.turn?.lit ?? [];
}

const litPiles = (model) => PILES.filter((n) => model.look(`pile${n}`).colour === "white");

/** Which word stands on the pad for a look: none of them is told by colour alone. */
function padWord({ colour, pattern }) {
  if (colour === "white") return { "": "play", flash: "holding", fade: "waits" }[pattern] ?? "play";
  return colour === "red" ? "refused" : "none";
}

function counterWord(model, name, words) {
  const { colour, pattern } = model.look(name);
  if (colour === "off") return "";
  const key = colour === "red" && pattern === "flash" ? "overload" : colour;
  return words.say(`counter.${key}`);
}
