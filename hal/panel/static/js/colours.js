/** Colours for eyes that see few of them: a sign and a texture each, drawn only while the setting asks for it. */

import { make, put, svg } from "./dom.js";

export const SIGN = { white: "○", red: "■", yellow: "▲", green: "●", blue: "◆", purple: "▼" };
const TILE = { red: 6, blue: 6, green: 8, yellow: 7, purple: 10 };    // how wide a tile of the texture is; white is plain
const EYE = 1 / 2.2;               // half the light looks three quarters as bright

/** Dim what *unit* shows, and draw signs and textures on the page, as the settings of all units say. */
export function showSight(unit, { brightness = 1, colour_patterns: patterns = false } = {}) {
  unit.style.setProperty("--glow", (brightness ** EYE).toFixed(3));
  put(document.body, "data-colour-patterns", patterns);
}

/** The sign of a light's colour; seen only with patterns. */
export const sign = (where) => make(`span.sign.${where}`, { "aria-hidden": "true" });

export const putSign = (element, { colour }) => put(element, "text", SIGN[colour] ?? "");

/** The textures for drawings: what is filled with `url(#texture-red)` is hatched like a red light. */
export const textures = (scale) => svg("defs", {}, ...Object.entries(TILE).map(([colour, wide]) =>
  svg("pattern", { id: `texture-${colour}`, width: wide * scale, height: wide * scale, patternUnits: "userSpaceOnUse" },
    svg("image", { href: `/static/img/texture/${colour}.svg`, width: wide * scale, height: wide * scale }))));

export const textureOf = ({ colour }) => (colour in TILE ? `url(#texture-${colour})` : "none");

/** All colours with their signs and textures, for the card of the rules; seen only with patterns. */
export const legend = (words) => make("div.colours", {}, make("h3", {}, words.say("colours")),
  make("ul.colours-list", {}, ...Object.entries(SIGN).map(([colour, mark]) => make("li", {},
    make("span.swatch", { "data-colour": colour, "aria-hidden": "true" }), make("span", { "aria-hidden": "true" }, mark), make("span", {}, words.say(`colour.${colour}`))))));
