/** The buzzer: plays the unit's own tone tables. One voice, as on the unit: a newer tone replaces the one sounding. */

import { keep, recall } from "./words.js";

const GAIN = [0, 0.02, 0.045, 0.09, 0.16, 0.26];        // volume 0 to 5

export class Sound {
  constructor(tones, changed) {
    this.tones = tones;
    this.changed = changed;
    this.wanted = recall("sound") !== "off";
    this.context = null;
    this.voice = null;
    for (const gesture of ["pointerdown", "pointerup", "keydown"]) addEventListener(gesture, () => this.wake(), { capture: true });
  }

  /** `on`, `off`, or `asleep` while the browser waits for a tap before it lets a page sound. */
  get how() {
    if (!this.wanted) return "off";
    return this.context?.state === "running" ? "on" : "asleep";
  }

  toggle() {
    if (this.how === "asleep") { this.wake(); return; }
    this.wanted = !this.wanted;
    keep("sound", this.wanted ? "on" : "off");
    if (this.wanted) this.wake(); else this.hush();
    this.changed();
  }

  /** Must run inside a gesture: browsers keep a context made elsewhere suspended. */
  wake() {
    if (!this.wanted || this.context?.state === "running") return;
    if (this.context === null) {
      if (navigator.audioSession) navigator.audioSession.type = "playback";     // iPhones: sound despite the mute switch
      this.context = new AudioContext({ latencyHint: "interactive" });
      this.context.onstatechange = () => this.changed();
      const soft = new BiquadFilterNode(this.context, { type: "lowpass", frequency: 4200 });
      soft.connect(this.context.destination);
      this.out = soft;
    }
    this.context.resume().then(() => this.changed(), () => this.changed());
  }

  play(name, volume) {
    if (this.how !== "on") return;
    this.hush();
    const notes = this.tones[name] ?? [];
    const start = this.context.currentTime + 0.005;
    const oscillator = new OscillatorNode(this.context, { type: "square" });
    const gain = new GainNode(this.context, { gain: 0 });
    let at = start;
    for (const [pitch, ms] of notes) {
      if (pitch > 0) oscillator.frequency.setValueAtTime(pitch, at);
      gain.gain.setTargetAtTime(pitch > 0 ? GAIN[volume] ?? 0 : 0, at, 0.003);
      at += ms / 1000;
    }
    gain.gain.setTargetAtTime(0, at, 0.006);
    oscillator.connect(gain).connect(this.out);
    oscillator.start(start);
    oscillator.stop(at + 0.06);
    oscillator.onended = () => gain.disconnect();
    this.voice = { oscillator, gain };
  }

  hush() {
    if (this.voice === null) return;
    const now = this.context.currentTime;
    this.voice.gain.gain.cancelScheduledValues(now);
    this.voice.gain.gain.setTargetAtTime(0, now, 0.004);
    this.voice.oscillator.stop(now + 0.03);
    this.voice = null;
  }
}
