/** A record as `pilelight play --record` writes it: read whole, shown at any moment. No drawing here. */

import { Model } from "./model.js";

const INPUTS = ["press", "release", "switch", "wheel", "battery", "break", "mend"];
const SHOWN = ["event", "state", "lights", "display", "tone"];

/** What is wrong with a record: `line` and `why`, a key of the texts. */
export class Damaged extends Error {
  constructor(line, why) {
    super(`line ${line}: ${why}`);
    this.line = line;
    this.why = why;
  }
}

export class Recording {
  /** Read *text*. A last line that was cut off is left out, as the unit itself does; any other damage is raised.

      `headers` has the first line, and one more for each time that another unit or other settings were wished. */
  constructor(text) {
    const lines = text.split("\n");
    this.headers = [parse(lines[0] ?? "", 1)];
    if (this.headers[0].bench !== 1 || typeof this.headers[0].unit !== "string") throw new Damaged(1, "replay.no-record");
    this.lines = [];
    let last = 0;
    for (const [at, line] of lines.entries()) {
      if (at === 0 || line.trim() === "") continue;
      if (at === lines.length - 1) { try { JSON.parse(line); } catch { break; } }
      const entry = parse(line, at + 1);
      if (entry.bench === 1) { entry.t = last; this.headers.push(entry); }
      if (typeof entry.t !== "number" || entry.t < last) throw new Damaged(at + 1, "replay.time");
      last = entry.t;
      this.lines.push(entry);
    }
    this.end = last;
    this.rewind();
  }

  rewind() {
    this.next = 0;
    this.begin(this.headers[0]);
  }

  begin(header) {
    const { switches = {}, lights = [] } = header;
    this.model = new Model(header, {
      state: "off", lights: Object.fromEntries(lights.map((light) => [light, "off"])), display: { text: "", pattern: "" }, events: [],
      switches: Object.fromEntries(Object.entries(switches).map(([name, places]) => [name, places[0]])), down: [], broken: [], battery: "ok", wheel: null,
    });
  }

  /** Bring the model to what it was at *seconds*; gives the lines that were passed on the way there. */
  goTo(seconds) {
    if (this.next > 0 && this.lines[this.next - 1].t > seconds) this.rewind();
    const passed = [];
    while (this.next < this.lines.length && this.lines[this.next].t <= seconds) {
      const line = this.lines[this.next++];
      if (line.bench === 1) this.begin(line);
      if (INPUTS.some((verb) => verb in line)) this.model.move(line);
      if (SHOWN.some((kind) => kind in line)) this.model.show(line);
      passed.push(line);
    }
    return passed;
  }
}

function parse(line, number) {
  let entry;
  try { entry = JSON.parse(line); } catch { throw new Damaged(number, "replay.not-json"); }
  if (entry === null || typeof entry !== "object" || Array.isArray(entry)) throw new Damaged(number, "replay.not-json");
  return entry;
}
