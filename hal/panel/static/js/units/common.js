/** What all units' pages share. */

import { make } from "../dom.js";

export const screws = () => [1, 2, 3, 4].map(() => make("i.screw", { "aria-hidden": "true" }));

/** An event in words, or "" for one that is seen anyway. Texts are looked up for the unit first, then for all. */
export function eventText(event, words, unit) {
  const places = {};
  for (const [name, value] of Object.entries(event)) places[name] = value;
  if (typeof event.draw === "number") places.draw = words.number(event.draw);
  if (Array.isArray(event.lit)) places.piles = words.either(event.lit);
  for (const part of ["part", "reason", "mode", "to", "icon"]) {
    const key = `${part}.${event[part]}`;
    if (event[part] !== undefined && words.has(key)) places[part] = words.say(key);
  }
  const key = [`event.${unit}.${event.event}`, `event.${event.event}`].find((one) => words.has(one));
  return key === undefined ? "" : words.say(key, places);
}

export function displayLabel(model, words) {
  const { text } = model.display;
  return text.trim() === "" ? words.say("display.blank") : words.say("display.shows", { text });
}
