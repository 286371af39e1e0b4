/** All texts, one data file per language; the player's choice is kept, the browser's language is the first guess. */

export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español" };

export class Words {
  constructor(language, texts) {
    this.language = language;
    this.texts = texts;
    this.anyOf = new Intl.ListFormat(language, { type: "disjunction" });
    this.allOf = new Intl.ListFormat(language, { type: "conjunction" });
  }

  static loaded = new Map();                            // language → its Words: asked for once, then at hand

  static async load(language) {
    if (Words.loaded.has(language)) return Words.loaded.get(language);
    const answer = await fetch(`/static/texts/${language}.json`);
    if (!answer.ok) throw new Error(`texts/${language}.json: ${answer.status}`);
    const words = new Words(language, await answer.json());
    Words.loaded.set(language, words);
    return words;
  }

  /** The text for a key like `event.overload`, with its `{places}` filled in. Raises where there is none. */
  say(key, places = {}) {
    const text = this.texts[key];
    if (text === undefined) throw new Error(`texts/${this.language}.json has no "${key}"`);
    return text.replace(/\{(\w+)\}/g, (_, name) => String(places[name]));
  }

  /** A text of several lines. */
  list(key) { return this.texts[key]; }

  has(key) { return this.texts[key] !== undefined; }

  /** Small numbers in words, as they are spoken. */
  number(n) { return this.texts.numbers[n] ?? String(n); }

  either(items) { return this.anyOf.format(items.map(String)); }

  both(items) { return this.allOf.format(items.map(String)); }
}

export function firstLanguage() {
  const kept = recall("language");
  if (kept in LANGUAGES) return kept;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag in LANGUAGES) ?? "en";
}

/** What the page keeps for next time. A browser that keeps nothing (private window) is asked again. */
export function recall(name) {
  try { return localStorage.getItem(`pilelight.${name}`); } catch { return null; }
}

export function keep(name, value) {
  try { localStorage.setItem(`pilelight.${name}`, value); } catch { /* private window: it is asked again */ }
}
