/** What a sighted player sees, in words: the prompt, what just happened, and the live region. */

import { make, put } from "./dom.js";

const KEPT = 4;

export class Say {
  constructor(words, describe) {
    this.words = words;
    this.describe = describe;                           // (event) → text or ""
    this.prompt = document.getElementById("prompt");
    this.list = document.getElementById("happened");
    this.live = document.getElementById("said");
  }

  /** One moment has passed: these events happened, and this is asked of the players now. */
  moment(events, prompt, state) {
    const told = events.map(this.describe).filter(Boolean);
    for (const text of told) if (text !== prompt) this.list.prepend(make("li", {}, text));
    while (this.list.children.length > KEPT) this.list.lastChild.remove();
    const asked = this.prompt.textContent !== prompt;
    put(this.prompt, "text", prompt);
    put(this.prompt, "data-state", state);
    if (told.length || asked) put(this.live, "text", [...told, ...(asked && !told.includes(prompt) ? [prompt] : [])].join(" "));
  }

  /** After a reload or a new language: the past again, without reading it all out. */
  past(events, prompt, state) {
    const told = events.map(this.describe).filter((text) => text && text !== prompt);
    this.list.replaceChildren(...told.slice(-KEPT).reverse().map((text) => make("li", {}, text)));
    put(this.prompt, "text", prompt);
    put(this.prompt, "data-state", state);
    put(this.live, "text", prompt);
  }
}
