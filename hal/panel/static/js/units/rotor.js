/** The arrow on its bearing: follows the finger, runs on when let go, and tells the slot it stands at, as a sensor would. */

import { make, put, svg } from "../dom.js";

const DRAG = 0.55;                 // per second: what the air takes
const FRICTION = 26;               // degrees per second, per second: what the bearing takes
const FASTEST = 1500;              // degrees per second; no hand is faster
const SLOWEST = 15;                // degrees per second: below it the bearing holds. An arrow that crept on would pass for one at rest
const FORGETS_MS = 90;             // a finger that rested so long before it let go flings nothing
const SHORTEST_MS = 16;            // moves come in bunches, some with the same time: no speed is told from less
const STEP_MS = 1000 / 60;         // so finely the arrow is followed, however seldom the screen is drawn
const UNSEEN_MS = 1000;            // a page that was not drawn for longer was not looked at: the arrow stood meanwhile

export class Rotor {
  /** `tell(slot)` is called with each slot the arrow comes to. */
  constructor(slots, tell) {
    this.slots = slots;
    this.tell = tell;
    this.angle = 180 / slots;                           // the middle of slot 0
    this.speed = 0;
    this.told = null;
    this.finger = null;
    this.trail = [];                                    // where the finger had turned the arrow to, and when (ms)
    this.frame = null;
    this.element = make("button.rotor", { type: "button" }, svg("svg", { viewBox: "-150 -150 300 300", "aria-hidden": "true" },
      svg("circle.rotor-disc", { r: 128 }),
      svg("path.rotor-arrow", { d: "M0 -150 L24 -98 A101 101 0 0 0 -24 -98 Z" }),
      svg("path.rotor-grip", { d: "M-12 -88h24v64h-24zM-12 88h24v-64h-24z" }),
      svg("circle.rotor-cap", { r: 30 })));
    this.element.addEventListener("pointerdown", (event) => this.take(event));
    this.element.addEventListener("pointermove", (event) => this.turn(event));
    for (const end of ["pointerup", "pointercancel"]) this.element.addEventListener(end, (event) => this.let(event));
    this.element.addEventListener("click", (event) => { if (event.detail === 0) this.fling(700 + Math.random() * 600); });
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.draw();
  }

  label(text) { put(this.element, "aria-label", text); }

  /** Stand where the wheel of another page stands. */
  follow(slot) {
    if (this.finger !== null || this.frame !== null || slot === this.slot) return;
    this.angle = (slot + 0.5) * 360 / this.slots;
    this.told = slot;
    this.draw();
  }

  get slot() { return Math.floor((this.angle % 360 + 360) % 360 / 360 * this.slots) % this.slots; }

  take(event) {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    this.finger = { id: event.pointerId, at: this.pointed(event) };
    this.trail = [{ when: event.timeStamp, angle: this.angle }];
    this.speed = 0;
    this.stop();
    this.report();
  }

  turn(event) {
    if (event.pointerId !== this.finger?.id) return;
    const at = this.pointed(event);
    const step = (at - this.finger.at + 540) % 360 - 180;               // the shorter way round
    this.finger.at = at;
    this.move(step);
    this.trail.push({ when: event.timeStamp, angle: this.angle });
    while (this.trail.length > 2 && event.timeStamp - this.trail[0].when > FORGETS_MS) this.trail.shift();
  }

  let(event) {
    if (event.pointerId !== this.finger?.id) return;
    const [first, last] = [this.trail[0], this.trail.at(-1)];
    const rested = event.timeStamp - last.when > FORGETS_MS;
    this.finger = null;
    this.fling(rested ? 0 : (last.angle - first.angle) / Math.max(last.when - first.when, SHORTEST_MS) * 1000);
  }

  key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.stop();
    this.move(step * 360 / this.slots);
  }

  /** Run on with *speed* (degrees a second, clockwise positive) until friction has taken it. */
  fling(speed) {
    this.speed = Math.max(-FASTEST, Math.min(FASTEST, speed));
    if (this.speed === 0) return;
    let last = performance.now();
    const run = (now) => {
      const ms = Math.min(Math.max(now - last, 0), UNSEEN_MS);
      const steps = Math.max(1, Math.round(ms / STEP_MS));
      last = now;
      for (let step = 0; step < steps; step++) this.roll(ms / steps / 1000);
      this.frame = this.speed === 0 ? null : requestAnimationFrame(run);
    };
    this.frame = requestAnimationFrame(run);
  }

  roll(seconds) {
    const left = Math.abs(this.speed) - (DRAG * Math.abs(this.speed) + FRICTION) * seconds;
    this.speed = left < SLOWEST ? 0 : Math.sign(this.speed) * left;
    this.move(this.speed * seconds);
  }

  stop() {
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
  }

  move(degrees) {
    this.angle += degrees;
    this.draw();
    this.report();
  }

  report() {
    if (this.slot === this.told) return;
    this.told = this.slot;
    this.tell(this.slot);
  }

  draw() { this.element.style.setProperty("--angle", `${this.angle}deg`); }

  pointed(event) {
    const box = this.element.getBoundingClientRect();
    return Math.atan2(event.clientX - box.left - box.width / 2, box.top + box.height / 2 - event.clientY) * 180 / Math.PI;
  }
}
