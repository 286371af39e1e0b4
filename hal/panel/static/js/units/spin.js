/** A dial of icons with an arrow one flings, a ring of lights, display and GO. */

import { putSign, textureOf, textures } from "../colours.js";
import { make, put, svg } from "../dom.js";
import { Display } from "../display.js";
import { Knob, putLook, Slide } from "../parts.js";
import { displayLabel, eventText, screws } from "./common.js";
import { icon } from "./icons.js";
import { Rotor } from "./rotor.js";

const SLOTS_AN_ICON = 4;
const OUTER = 286, INNER = 142, LAMP = 296;

export class Spin {
  static keys = [["␣", "GO"], ["←", ""], ["→", "keys.wheel"]];

  constructor({ model, touch, send, glyphs }) {
    this.icons = model.setting("spin", "icons", []);
    this.display = new Display(4, glyphs);
    this.go = new Knob("go", "GO", "␣");
    this.power = new Slide("power", model.header.switches.power, (to) => send({ switch: "power", to }));
    this.send = send;
    touch.attach(this.go.element, "go", " ");
    this.segments = this.icons.map((one, at) => this.segment(one, at));
    this.rotor = new Rotor(this.icons.length * SLOTS_AN_ICON, (slot) => send({ wheel: slot }));
    this.dial = svg("svg.dial", { viewBox: "-322 -322 644 644", "aria-hidden": "true" }, textures(3),
      svg("circle.dial-plate", { r: 316 }), ...this.segments.map(({ element }) => element), svg("circle.dial-hub", { r: INNER - 4 }));
    this.element = make("section.case.spin", {}, ...screws(),
      make("div.dial-set", {}, this.dial, this.rotor.element),
      make("div.spin-desk", {}, this.power.element, this.display.element, this.go.element));
  }

  segment(one, at) {
    const turn = 360 / this.icons.length;
    const [from, to] = [at * turn, (at + 1) * turn];
    const [x, y] = polar((OUTER + INNER) / 2 + 4, (from + to) / 2);
    const lines = [svg("text.dial-word", { x, y: y + 22 }), svg("text.dial-word", { x, y: y + 45 })];
    const drawing = icon(one.id, 54);
    const lamp = svg("path.light.dial-lamp", { d: wedge(LAMP + 16, OUTER + 4, from + 1.2, to - 1.2) });
    const glow = svg("path.light.dial-glow", { d: wedge(OUTER, INNER, from, to) });
    const texture = svg("path.light.dial-texture", { d: wedge(OUTER, INNER, from, to) });
    const [signX, signY] = polar(LAMP + 5, (from + to) / 2);
    const mark = svg("text.sign.dial-sign", { x: signX, y: signY + 7 });
    const element = svg("g.dial-segment", { "data-segment": `seg${at + 1}` },
      svg("path.dial-field", { d: wedge(OUTER, INNER, from, to) }),
      svg("path.dial-lens", { d: wedge(LAMP + 16, OUTER + 4, from + 1.2, to - 1.2) }), glow, texture, lamp, mark,
      svg("g", { transform: `translate(${x} ${y - 26})` }, drawing), ...lines);
    element.style.setProperty("--at", at);
    element.style.setProperty("--of", this.icons.length);
    return { element, lines, mark, texture, one };
  }

  show(model, words, down) {
    put(this.element, "aria-label", words.say("unit.spin"));
    this.segments.forEach(({ element, lines, mark, texture, one }, at) => {
      const look = model.look(`seg${at + 1}`);
      putLook(element, look);
      putSign(mark, look);
      put(texture, "fill", textureOf(look));
      const key = `icon.${one.id}`;
      const [first, ...rest] = (words.has(key) ? words.say(key) : one.code).split(" ");
      put(lines[0], "text", first);
      put(lines[1], "text", rest.join(" "));
    });
    this.rotor.label(words.say("button.wheel"));
    if (model.wheel !== null) this.rotor.follow(model.wheel);
    this.go.show({ label: words.say("button.go"), down: down.has("go") });
    this.display.show(model.broken.has("display") ? { text: "", pattern: "" } : model.display, displayLabel(model, words));
    this.power.show(model.switches.power, words.say("switch.power"), words.say(`switch.${model.switches.power}`));
    if (down.has("go") && ["idle", "volume"].includes(model.state)) this.go.hold.start(model.setting("spin", "hold_for_volume", 3));
    else this.go.hold.stop();
  }

  /** Another unit takes its place: an arrow that still runs stops. */
  leave() { this.rotor.stop(); }

  prompt(model, words) {
    if (model.state === "result") {
      const key = `prompt.spin.result.${model.drawn.result?.icon}`;
      return words.has(key) ? words.say(key) : words.say("prompt.spin.result", { code: model.display.text });
    }
    return words.say(`prompt.spin.${model.state}`, { volume: model.display.text });
  }

  describe(event, words) { return eventText(event, words, "spin"); }
}

function polar(radius, degrees) {
  const angle = degrees * Math.PI / 180;
  return [radius * Math.sin(angle), -radius * Math.cos(angle)];
}

/** A piece of a ring, clockwise from the top. */
function wedge(outer, inner, from, to) {
  const corner = (radius, degrees) => polar(radius, degrees).map((value) => value.toFixed(2)).join(" ");
  const large = to - from > 180 ? 1 : 0;
  return `M${corner(outer, from)}A${outer} ${outer} 0 ${large} 1 ${corner(outer, to)}L${corner(inner, to)}A${inner} ${inner} 0 ${large} 0 ${corner(inner, from)}Z`;
}
