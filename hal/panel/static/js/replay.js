/** Watch a record: a time slider, play and pause, any speed. The unit's own link goes on behind it. */

import { make, put } from "./dom.js";

const SPEEDS = [0.25, 1, 4, 16];

export class Replay {
  /** `on.show(recording, passed)` draws; `on.end()` goes back to the live unit. */
  constructor(recording, on) {
    this.recording = recording;
    this.on = on;
    this.at = 0;
    this.speed = 1;
    this.frame = null;
    this.bar = document.getElementById("replay");
    this.bar.hidden = false;
    this.play = make("button.chip", { type: "button" });
    this.slider = make("input", { type: "range", min: 0, max: this.recording.end, step: "any", value: 0 });
    this.time = make("span.replay-time");
    this.speeds = make("select", {}, ...SPEEDS.map((speed) => make("option", { value: speed, selected: speed === 1 }, `× ${speed}`)));
    this.close = make("button.chip", { type: "button" });
    this.bar.replaceChildren(this.play, this.slider, this.time, this.speeds, this.close);
    this.play.addEventListener("click", () => (this.frame === null ? this.start() : this.pause()));
    this.slider.addEventListener("input", () => this.seek(Number(this.slider.value)));
    this.speeds.addEventListener("change", () => { this.speed = Number(this.speeds.value); });
    this.close.addEventListener("click", () => this.end());
  }

  label(words) {
    this.words = words;
    put(this.play, "text", words.say(this.frame === null ? "replay.play" : "replay.pause"));
    put(this.slider, "aria-label", words.say("replay.position"));
    put(this.speeds, "aria-label", words.say("replay.speed"));
    put(this.close, "text", words.say("replay.close"));
    const seconds = (value) => value.toLocaleString(words.language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
    put(this.time, "text", `${seconds(this.at)} / ${seconds(this.recording.end)} s`);
  }

  start() {
    if (this.at >= this.recording.end) this.seek(0);
    let last = performance.now();
    const run = (now) => {
      const to = Math.min(this.at + (now - last) / 1000 * this.speed, this.recording.end);
      last = now;
      this.frame = to < this.recording.end ? requestAnimationFrame(run) : null;
      this.seek(to);
    };
    this.frame = requestAnimationFrame(run);
    this.label(this.words);
  }

  pause() {
    cancelAnimationFrame(this.frame);
    this.frame = null;
    this.label(this.words);
  }

  seek(seconds) {
    this.at = seconds;
    this.slider.value = seconds;
    this.on.show(this.recording, this.recording.goTo(seconds), this.frame !== null);
    this.label(this.words);
  }

  end() {
    this.pause();
    this.bar.hidden = true;
    this.on.end();
  }
}
