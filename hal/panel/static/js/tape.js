/** The record that is wished on the page: begin, end, watch, save. */

import { make } from "./dom.js";

export class Tape {
  /** `watch()` shows the record that the unit has. */
  constructor(send, watch) {
    this.send = send;
    this.watch = watch;
    this.place = document.getElementById("tape");
  }

  show({ recording, recorded = false, owner = true }, words) {
    const buttons = [];
    const had = document.activeElement?.id;
    if (recording !== undefined && owner) {
      const button = make("button.foot-link", { type: "button", id: "tape-turn", "data-recording": String(recording) }, words.say(recording ? "tape.stop" : "tape.start"));
      button.addEventListener("click", () => this.send({ record: recording ? "stop" : "start" }));
      buttons.push(button);
    }
    if (recorded) {
      const watch = make("button.foot-link", { type: "button", id: "tape-watch" }, words.say("tape.watch"));
      watch.addEventListener("click", () => this.watch());
      buttons.push(watch, make("a.foot-link", { href: "/record.jsonl", download: "record.jsonl", id: "tape-save" }, words.say("tape.save")));
    }
    this.place.replaceChildren(...buttons);
    if (had?.startsWith("tape-")) document.getElementById(had)?.focus();
  }
}
