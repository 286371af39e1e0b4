/** The rule card beside the table, and the three steps for whoever comes first. */

import { legend } from "./colours.js";
import { make, put } from "./dom.js";
import { keep, recall } from "./words.js";

export class RuleCard {
  constructor() {
    this.dialog = document.getElementById("rules");
    this.open = document.getElementById("open-rules");
    this.steps = document.getElementById("steps");
    this.open.addEventListener("click", () => this.dialog.showModal());
    this.dialog.addEventListener("click", ({ target }) => { if (target === this.dialog) this.dialog.close(); });   // beside it
  }

  show(unit, words) {
    put(this.open.querySelector("span"), "text", words.say("rules"));
    const close = make("button.chip.rules-close", { type: "button" }, words.say("close"));
    close.addEventListener("click", () => this.dialog.close());
    this.dialog.replaceChildren(
      close, make("h2", { id: "rules-title" }, `${words.say(`unit.${unit}`)}: ${words.say("rules.title")}`),
      make("dl", {}, ...words.list(`card.${unit}`).flatMap((line) => {
        const [term, text] = line.split("|");
        return [make("dt", {}, term), make("dd", {}, text)];
      })),
      legend(words), make("p.fine", {}, words.say("rules.note")));
    this.showSteps(unit, words);
  }

  /** Shown until somebody says that they are understood, once for each unit. */
  showSteps(unit, words) {
    const known = recall(`steps.${unit}`) !== null;
    this.steps.hidden = known;
    if (known) return;
    const done = make("button.chip", { type: "button" }, words.say("steps.done"));
    done.addEventListener("click", () => { keep(`steps.${unit}`, "known"); this.steps.hidden = true; });
    this.steps.replaceChildren(make("h2", {}, words.say("steps.title")),
      make("ol", {}, ...words.list(`steps.${unit}`).map((step) => make("li", {}, step))), done);
  }
}
