/** The unit as the page knows it: the snapshot, kept up to date by protocol lines. No drawing here. */

export class Model {
  constructor(header, snapshot) {
    this.header = header;
    this.replace(snapshot);
  }

  replace(snapshot) {
    this.state = snapshot.state;
    this.lights = { ...snapshot.lights };
    this.display = { ...snapshot.display };
    this.switches = { ...snapshot.switches };
    this.down = new Set(snapshot.down);
    this.broken = new Set(snapshot.broken);
    this.battery = snapshot.battery;
    this.wheel = snapshot.wheel;
    this.events = [...snapshot.events];
    this.drawn = {};                                    // what stands behind the number on the display
    for (const event of this.events) this.remember(event);
  }

  /** Take over one protocol line. */
  show(line) {
    if ("event" in line) { this.events.push(line); this.events.splice(0, this.events.length - 12); this.remember(line); }
    if ("state" in line) this.state = line.state;
    if ("lights" in line) Object.assign(this.lights, line.lights);
    if ("display" in line) this.display = { text: line.display, pattern: line.pattern ?? "" };
  }

  /** Take over what somebody moved, on this page or another. */
  move(input) {
    if ("press" in input) this.down.add(input.press);
    if ("release" in input) this.down.delete(input.release);
    if ("switch" in input) this.switches[input.switch] = input.to;
    if ("wheel" in input) this.wheel = input.wheel;
    if ("battery" in input) this.battery = input.battery;
    if ("break" in input) this.broken.add(input.break);
    if ("mend" in input) this.broken.delete(input.mend);
  }

  remember(event) { this.drawn[event.event] = event; }

  look(light) {
    if (this.broken.has("strip")) return { colour: "off", pattern: "" };
    const [colour, pattern = ""] = (this.lights[light] ?? "off").split(" ");
    return { colour, pattern };
  }

  setting(section, name, otherwise) { return this.header.settings?.[section]?.[name] ?? otherwise; }
}
