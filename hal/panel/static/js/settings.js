/** The settings of the unit as a form. What was changed is applied by one message; what the unit refuses is said at its field. */

import { make, put } from "./dom.js";
import { field } from "./fields.js";

const GROUPS = ["house", "chance", "times", "light", "inputs"];      // what settings are about, in this order
const REFUSAL = /^settings: (\w+)\.(\w+) = .*: (must be .*)$/;     // one line of what the unit says

export class Settings {
  constructor(send) {
    this.send = send;
    this.rows = [];
    this.sent = null;                                   // what was applied, while the unit has not answered
    this.drawer = document.getElementById("settings");
    this.open = document.getElementById("open-settings");
    this.open.addEventListener("click", () => (this.drawer.hidden ? this.show() : this.hide()));
    this.drawer.addEventListener("keydown", (event) => { if (event.key === "Escape") this.hide(); });
  }

  /** Draw the form anew for *hello*. What somebody is about to change here stays as entered while the unit is the same. */
  draw({ settings = [], presets = [], keeps = false, header, owner = true }, words) {
    const may = owner && settings.length > 0;
    this.open.hidden = !may;
    if (!may) { this.hide(false); return; }
    const drafts = this.unit === header.unit ? this.changes() : {};
    const focused = this.drawer.contains(document.activeElement) ? document.activeElement.id : "";
    this.unit = header.unit;
    this.rows = settings.map((setting) => this.row(setting, header.settings[setting.section][setting.name], words));
    this.presets = presets;
    this.note = keeps ? "settings.kept" : "settings.note";
    this.build(words);
    for (const { setting, entry } of this.rows) {
      const draft = drafts[setting.section]?.[setting.name];
      if (draft !== undefined && this.sent?.[setting.section]?.[setting.name] === undefined) entry.write(draft);
    }
    if (focused) document.getElementById(focused)?.focus();
    if (this.sent) put(this.status, "text", words.say("settings.applied"));
    this.sent = null;
  }

  row(setting, now, words) {
    const id = `setting-${setting.section}-${setting.name}`;
    const key = `setting.${setting.section}.${setting.name}`;
    const label = words.has(key) ? words.say(key) : setting.doc;
    const entry = field(setting, id, label, words, now);
    const why = `about.${setting.section}.${setting.name}`;
    const about = make("p.setting-about", { id: `${id}-about` }, words.has(why) ? words.say(why) : "");
    const error = make("p.setting-error", { id: `${id}-error`, hidden: true });
    for (const control of entry.controls) control.setAttribute("aria-describedby", `${about.id} ${error.id}`);
    entry.write(now);
    const element = make("div.setting", { "data-setting": `${setting.section}.${setting.name}` }, make("label", { for: id }, label), entry.element, about, error);
    return { setting, now, entry, error, element };
  }

  build(words) {
    this.words = words;
    const button = (key, kind, act) => {
      const one = make("button.chip", { type: kind, id: `settings-${kind}` }, words.say(key));
      if (act) one.addEventListener("click", act);
      return one;
    };
    const close = make("button.chip", { type: "button", id: "settings-close" }, words.say("close"));
    close.addEventListener("click", ({ detail }) => this.hide(detail === 0));
    this.status = make("p.settings-status", { role: "status" });
    const groupOf = ({ setting }) => (GROUPS.includes(setting.group) ? setting.group : GROUPS.at(-1));
    const own = [...this.rows].sort((a, b) => (a.setting.section === "common") - (b.setting.section === "common"));   // before those of all units
    const groups = GROUPS.map((group) => [group, own.filter((row) => groupOf(row) === group)]).filter(([, rows]) => rows.length);
    const form = make("form", { novalidate: true, "aria-labelledby": "settings-title" },
      ...groups.map(([group, rows]) => make("section.setting-group", { "data-group": group, "aria-labelledby": `settings-${group}` },
        make("h3", { id: `settings-${group}` }, words.say(`group.${group}`)), ...rows.map(({ element }) => element))),
      make("div.settings-foot", {}, this.status,
        button("settings.apply", "submit"), button("settings.defaults", "button", () => this.asDelivered()),
        make("a.foot-link", { href: "/settings.toml", download: "settings.toml", id: "settings-export" }, words.say("settings.export"))));
    form.addEventListener("submit", (event) => { event.preventDefault(); this.apply(); });
    const title = make("h2", { id: "settings-title", tabindex: -1 }, words.say("settings"));
    this.drawer.replaceChildren(make("div.drawer-head", {}, title, close), make("p.fine", {}, words.say(this.note)), this.choices(), form);
  }

  /** The ready-made choices, each applied at once; the one that is in force is marked. */
  choices() {
    if (!this.presets.length) return "";
    const { words } = this;
    const buttons = this.presets.map(({ name, settings }) => {
      const one = make("button.chip", { type: "button", id: `preset-${name}`, "data-preset": name, "aria-pressed": String(this.isInForce(settings)) }, words.say(`preset.${name}`));
      one.addEventListener("click", () => this.wish(this.isInForce(settings) ? {} : settings));
      return one;
    });
    return make("div.presets", { role: "group", "aria-labelledby": "presets-title" },
      make("h3", { id: "presets-title" }, words.say("presets")), make("p.fine", {}, words.say("presets.note")), make("div.presets-list", {}, ...buttons));
  }

  isInForce(settings) {
    return this.rows.every(({ setting, now }) => {
      const wanted = settings[setting.section]?.[setting.name];
      return wanted === undefined || JSON.stringify(wanted) === JSON.stringify(now);
    });
  }

  /** What stands in the form and is not in force, by section and name. */
  changes() {
    const changed = {};
    for (const { setting, now, entry } of this.rows) {
      const value = entry.read();
      if (JSON.stringify(value) !== JSON.stringify(now)) (changed[setting.section] ??= {})[setting.name] = value;
    }
    return changed;
  }

  apply() { this.wish(this.changes()); }

  wish(settings) {
    this.forgive();
    if (!Object.keys(settings).length) { put(this.status, "text", this.words.say("settings.same")); return; }
    this.sent = settings;
    this.send({ settings });
  }

  asDelivered() {
    for (const { setting, entry } of this.rows) entry.write(setting.default);
    put(this.status, "text", this.words.say("settings.as-delivered"));
  }

  /** Say the unit's refusal where it belongs; gives false for one that is none of settings. */
  refuse(text) {
    if (!this.sent) return false;
    this.sent = null;                                   // whatever the reason, what was applied is still to be changed
    if (!text.startsWith("settings: ")) return false;
    for (const line of text.split("\n")) {
      const [, section, name, why] = REFUSAL.exec(line) ?? [];
      const row = this.rows.find(({ setting }) => setting.section === section && setting.name === name);
      if (row === undefined) { put(this.status, "text", line); continue; }
      row.error.hidden = false;
      put(row.error, "text", why);
      for (const control of row.entry.controls) control.setAttribute("aria-invalid", "true");
    }
    const first = this.drawer.querySelector("[aria-invalid]");
    if (first) put(this.status, "text", this.words.say("settings.refused"));
    first?.focus();
    first?.closest(".setting").scrollIntoView({ block: "nearest" });                 // with the words below the field
    return true;
  }

  forgive() {
    put(this.status, "text", "");
    for (const { error, entry } of this.rows) {
      error.hidden = true;
      for (const control of entry.controls) control.removeAttribute("aria-invalid");
    }
  }

  show() {
    this.drawer.hidden = false;
    document.body.classList.add("has-drawer");
    put(this.open, "aria-expanded", true);
    this.drawer.querySelector("h2").focus();
  }

  /** *focus*: closed from the keyboard. After a click the keys are the unit's again. */
  hide(focus = true) {
    if (this.drawer.hidden) return;
    this.drawer.hidden = true;
    document.body.classList.remove("has-drawer");
    put(this.open, "aria-expanded", false);
    if (focus) this.open.focus(); else document.activeElement?.blur();
  }
}
