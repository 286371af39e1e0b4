/** A self-test beside the real unit: buttons that answer what it asks, for the owner, and how each part did. */

import { make } from "./dom.js";

export class Answers {
  constructor(send) {
    this.send = send;
    this.place = document.getElementById("answers");
  }

  /** *model* has what is asked, *greeting* whether this page may answer. Drawn anew only where something changed. */
  show({ answers = false, owner = true }, model, words) {
    const { "self-test": step, "self-test-over": over } = model.drawn;
    const now = answers && model.state === "self-test" ? [words.language, owner, over ? "over" : step?.step] : [];
    if (JSON.stringify(now) === this.shown) return;
    this.shown = JSON.stringify(now);
    const had = this.place.contains(document.activeElement) ? document.activeElement.dataset.answer : undefined;
    const drawn = now.length === 0 ? [] : over ? [this.results(over.parts ?? {}, words), make("p.fine", {}, words.say("self-test.to-play"))] : owner && step ? this.buttons(step, words) : [];
    this.place.hidden = drawn.length === 0;
    this.place.replaceChildren(...drawn);
    if (had) (this.place.querySelector(`[data-answer=${had}]`) ?? this.place.querySelector("button"))?.focus();
  }

  buttons({ way }, words) {
    return (way === "show" ? ["yes", "no", "skip"] : ["no", "skip"]).map((answer) => {
      const one = make("button.chip", { type: "button", "data-answer": answer }, words.say(`answer.${answer}`));
      one.addEventListener("click", () => this.send({ answer }));
      return one;
    });
  }

  results(parts, words) {
    return make("ul.results", {}, ...Object.entries(parts).map(([part, [verdict, detail]]) => {
      const line = make("li", { "data-verdict": verdict }, make("strong", {}, part), ` ${words.say(`verdict.${verdict}`)}`);
      if (detail) line.append(`: ${detail}`);
      return line;
    }));
  }

  /** What is asked of whoever sits here, in words. */
  static prompt({ "self-test": step, "self-test-over": over }, words) {
    if (over) return words.say(over.failed ? "prompt.self-test.failed" : "prompt.self-test.passed", over);
    if (!step) return words.say("prompt.self-test.begins");
    return words.say(step.way === "show" ? "prompt.self-test.question" : "prompt.self-test.step", step);
  }
}
