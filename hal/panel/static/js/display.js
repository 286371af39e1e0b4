/** Four 7-segment digits. The glyphs are those of the unit's own display where it sends them. */

import { make, put, svg } from "./dom.js";

/** Lit segments per character, as on the real chip: bit 0 is a (top), then clockwise b to f, bit 6 is g (middle). */
export const GLYPHS = {
  " ": 0x00, "-": 0x40, "_": 0x08, "0": 0x3f, "1": 0x06, "2": 0x5b, "3": 0x4f, "4": 0x66, "5": 0x6d, "6": 0x7d, "7": 0x07, "8": 0x7f, "9": 0x6f,
  A: 0x77, B: 0x7c, C: 0x39, D: 0x5e, E: 0x79, F: 0x71, G: 0x3d, H: 0x76, I: 0x06, J: 0x1e, L: 0x38, N: 0x54, O: 0x3f, P: 0x73, R: 0x50, S: 0x6d, T: 0x78, U: 0x3e, Y: 0x6e,
  b: 0x7c, c: 0x58, d: 0x5e, h: 0x74, i: 0x04, n: 0x54, o: 0x5c, r: 0x50, t: 0x78, u: 0x1c,
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
      const bits = this.glyphs[character] ?? this.glyphs[character.toUpperCase()] ?? this.glyphs["_"];
      this.lit[at].forEach((segment, bit) => {
        const on = Boolean(bits >> bit & 1);
        segment.classList.toggle("is-on", on);
        put(segment, "visibility", on ? "visible" : "hidden");
      });
    });
    put(this.element, "data-text", text);
    put(this.element, "data-pattern", pattern);
    put(this.element, "aria-label", label);
  }
}
