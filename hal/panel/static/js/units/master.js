/** One big button with a ring of light, a display, and the switch for the speed. */

import { putSign, sign } from "../colours.js";
import { make, put } from "../dom.js";
import { Display } from "../display.js";
import { Knob, putLook, Slide } from "../parts.js";
import { displayLabel, eventText, screws } from "./common.js";

export class Master {
  static keys = [["␣", "keys.timer"]];

  constructor({ model, touch, send, glyphs }) {
    this.knob = new Knob("timer", "", "␣");
    this.display = new Display(4, glyphs);
    this.slide = new Slide("speed", model.header.switches.speed, (to) => send({ switch: "speed", to }));
    this.word = make("span.halo-word", { "aria-hidden": "true" });
    this.sign = sign("halo-sign");
    this.knob.cap.append(make("span.master-mark"), this.word, this.sign);
    this.halo = make("div.halo", {}, make("span.halo-rim"), make("span.light.halo-bloom"), make("span.light.halo-glow"), this.knob.element);
    touch.attach(this.knob.element, "timer", " ");
    this.element = make("section.case.master", {}, ...screws(), this.display.element, this.halo, this.slide.element);
  }

  show(model, words, down) {
    put(this.element, "aria-label", words.say("unit.master"));
    putLook(this.halo, model.look("timer"));
    putSign(this.sign, model.look("timer"));
    const word = words.say(`master.${model.state}`);
    put(this.word, "text", word);
    this.knob.show({ label: `${words.say("button.timer")}, ${word}`, down: down.has("timer") });
    this.display.show(model.broken.has("display") ? { text: "", pattern: "" } : model.display, displayLabel(model, words));
    this.slide.show(model.switches.speed, words.say("switch.speed"), words.say("switch.seconds", { seconds: model.switches.speed }));
    const off = model.setting("master", "hold_to_switch_off", 3);
    if (down.has("timer") && model.state !== "off") this.knob.hold.start(off, [model.setting("master", "hold_to_pause", 1)]);
    else this.knob.hold.stop();
  }

  prompt(model, words) {
    const total = model.state === "waiting" && model.display.pattern === "flash" ? Number(model.display.text) : 0;
    if (total) return words.say("prompt.master.fined", { draw: words.number(total) });
    return words.say(`prompt.master.${model.state}`, { draw: words.number(Number(model.display.text)), speed: model.switches.speed });
  }

  describe(event, words) { return eventText(event, words, "master"); }
}
