/** Four 7-segment digits. The glyphs are those of the unit's own display where it sends them. */

import { make, put, svg } from "./dom.js";

/** Lit segments per character: a is the top, then clockwise b to f, g is the middle. The same as on the unit. */
export const GLYPHS = {
  " ": "", "-": "g", "_": "d", "=": "dg", "0": "abcdef", "1": "bc", "2": "abdeg", "3": "abcdg", "4": "bcfg",
  "5": "acdfg", "6": "acdefg", "7": "abc", "8": "abcdefg", "9": "abcdfg",
  "A": "abcefg", "b": "cdefg", "C": "adef", "c": "deg", "d": "bcdeg", "E": "adefg", "F": "aefg", "G": "acdef",
  "H": "bcefg", "h": "cefg", "I": "ef", "i": "c", "J": "bcd", "L": "def", "l": "ef", "n": "ceg", "O": "abcdef",
  "o": "cdeg", "P": "abefg", "q": "abcfg", "r": "eg", "S": "acdfg", "t": "defg", "U": "bcdef", "u": "cde",
  "y": "bcdfg", "N": "abcef", "K": "bcefg", "M": "aceg", "V": "bcdef", "W": "bdfg", "X": "bcefg", "Z": "abdeg",
  "‾": "a", "’": "b", "‚": "e", "‘": "f",
};

// One digit in a box of 60 by 100, segments a to g.
const SHAPES = [
  "12,6 48,6 41,15 19,15", "50,9 50,47 46,50 41,45 41,18", "50,53 50,91 41,82 41,55 46,50", "12,94 48,94 41,85 19,85",
  "10,53 10,91 19,82 19,55 14,50", "10,9 10,47 14,50 19,45 19,18", "16,50 20,45.5 40,45.5 44,50 40,54.5 20,54.5",
];

export class Display {
  constructor(digits = 4, glyphs = GLYPHS) {
    this.glyphs = glyphs;
    this.digits = Array.from({ length: digits }, (_, at) => {
      const segments = SHAPES.map((points) => svg("polygon.seg", { points }));
      return { segments, group: svg("g", { transform: `translate(${at * 66 + 6} 0)` }, ...segments) };
    });
    // Unlit segments stay; lit ones are drawn a second time above them, so that a flash moves one layer only.
    const lit = this.digits.map(({ group }) => group.cloneNode(true));
    this.lit = lit.map((group) => [...group.children]);
    this.over = svg("g.light", {}, ...lit);
    this.element = make("span.display", { role: "img", "data-colour": "red", "data-pattern": "" },
      svg("svg", { viewBox: `-2 -2 ${digits * 66 + 8} 104`, "aria-hidden": "true" },
        svg("g", { transform: "skewX(-5) translate(6 0)" }, ...this.digits.map(({ group }) => group), this.over)));
    this.show({ text: "", pattern: "" }, "");
  }

  /** Show *text*, flush right as on the unit. *label* says it in words. */
  show({ text, pattern }, label) {
    const characters = [...text.padStart(this.digits.length)].slice(-this.digits.length);
    characters.forEach((character, at) => {
      const lit = this.glyphs[character] ?? this.glyphs[otherCase(character)] ?? "";
      this.lit[at].forEach((segment, bit) => {
        const on = lit.includes("abcdefg"[bit]);
        segment.classList.toggle("is-on", on);
        put(segment, "visibility", on ? "visible" : "hidden");
      });
    });
    put(this.element, "data-text", text);
    put(this.element, "data-pattern", pattern);
    put(this.element, "aria-label", label);
  }
}

const otherCase = (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase());
