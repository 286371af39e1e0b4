/** What settings are entered with. Each field has an `element`, gives what was entered (`read`) and takes a value (`write`). */

import { make } from "./dom.js";

/** The field for one setting as the unit describes it; *label* is its text, *id* that of its first control, *now* what is in force. */
export function field(setting, id, label, words, now) {
  const value = setting.default;
  if (setting.shape === "choice") return choice(setting, id);
  if (setting.shape === "share") return share(setting, id);
  if (setting.shape === "flag") return flag(id);
  if (typeof value === "number") return number(setting, id);
  if (Array.isArray(value) && value.every((one) => typeof one === "number")) return numbers(setting, id, label, words, now);
  if (typeof value === "string") return text(id);
  return json(id);
}

function number(setting, id) {
  const input = entry(setting, { id });
  return { element: make("span.setting-entry", {}, input, unitOf(setting)), controls: [input], read: () => typed(input), write: (value) => { input.value = value; } };
}

/** A span (from, to) or odds (how often each), with the entries that the unit has by default; or a list of any length, whose empty entries are none. */
function numbers(setting, id, label, words, now) {
  const free = setting.shape === "other";
  const all = free && now.length > setting.default.length ? now : setting.default;
  const name = (at) => (setting.shape === "span" ? words.say(at === 0 ? "settings.from" : "settings.to") : String(at + 1));
  const inputs = all.map((_, at) => entry(setting, { id: at === 0 ? id : `${id}-${at}`, "aria-label": `${label} ${name(at)}` }));
  const element = make("span.setting-entry", {}, ...inputs.map((input, at) => make("span.setting-one", {}, make("span.setting-part", { "aria-hidden": "true" }, name(at)), input)), unitOf(setting));
  return {
    element, controls: inputs, read: () => inputs.filter((input) => !free || input.value !== "" || input.validity.badInput).map(typed),
    write: (value) => inputs.forEach((input, at) => { input.value = value[at] ?? ""; }),
  };
}

/** A part of one: a slider that says how many hundredths. */
function share(setting, id) {
  const input = make("input", { id, type: "range", min: setting.low, max: setting.high, step: 0.05 });
  const told = make("output", { for: id });
  const tell = () => { told.textContent = `${Math.round(input.valueAsNumber * 100)} %`; input.setAttribute("aria-valuetext", told.textContent); };
  input.addEventListener("input", tell);
  return { element: make("span.setting-entry", {}, input, told), controls: [input], read: () => input.valueAsNumber, write: (value) => { input.value = value; tell(); } };
}

function choice(setting, id) {
  const select = make("select", { id }, ...setting.among.map((word) => make("option", { value: word }, word)));
  return { element: select, controls: [select], read: () => select.value, write: (value) => { select.value = value; } };
}

function flag(id) {
  const box = make("input", { id, type: "checkbox", role: "switch" });
  return { element: box, controls: [box], read: () => box.checked, write: (value) => { box.checked = value; } };
}

function text(id) {
  const input = make("input", { id, type: "text" });
  return { element: input, controls: [input], read: () => input.value, write: (value) => { input.value = value; } };
}

/** Whatever else there is, as JSON, an entry a line. What is no JSON is given as the text it is: the unit says what would be right. */
function json(id) {
  const area = make("textarea", { id, rows: 6, spellcheck: "false" });
  const read = () => { try { return JSON.parse(area.value); } catch { return area.value; } };
  const write = (value) => { area.value = Array.isArray(value) ? `[\n${value.map((one) => `  ${JSON.stringify(one)}`).join(",\n")}\n]` : JSON.stringify(value); };
  return { element: area, controls: [area], read, write };
}

function entry(setting, more) {
  return make("input", { type: "number", min: setting.low, max: setting.high, step: setting.shape === "whole" ? 1 : "any", inputmode: "decimal", ...more });
}

const typed = (input) => (Number.isNaN(input.valueAsNumber) ? null : input.valueAsNumber);

const unitOf = (setting) => (setting.shape === "seconds" ? make("span.setting-part", {}, "s") : null);
