/** Our own drawings for the wheel's icons, on a grid of 24. An icon we do not know is drawn as a plain card. */

import { svg } from "../dom.js";

const CARD = "M7 4h10a1.5 1.5 0 0 1 1.5 1.5v13a1.5 1.5 0 0 1-1.5 1.5H7a1.5 1.5 0 0 1-1.5-1.5v-13A1.5 1.5 0 0 1 7 4z";
const DRAW = "M4 8.5 12.5 5l5.5 12.5-8.5 3.6zM15 3.5h3.5a2 2 0 0 1 2 2V14M12 9v7M9 13.2l3 3 3-3";

const PATHS = {
  "shout": "M4 10v4h3l7 4V6l-7 4zM17.5 9a4.5 4.5 0 0 1 0 6M20 6.5a8 8 0 0 1 0 11M7 14.5 8.5 20H11l-1.2-4.4",
  "discard-color": "M4 7.5 10 5l5 12-6 2.5zM11.5 4H16a1 1 0 0 1 1 1v9.5M18.5 5.5 21 7l-3 7.5M6.3 9.3l4-1.7",
  "draw-blue": DRAW,
  "draw-red": DRAW,
  "war": "M12 20V5M6.5 10.5 12 5l5.5 5.5M5 20h14",
  "discard-number": `${CARD}M9.2 9.2 11 8v8M13.5 9.3c.2-1.6 3-1.6 2.8.3-.1 1.6-2.8 3.4-2.8 6.4h3`,
  "show-hand": "M12 20 4.5 9.5 8 7l4 13zM12 20 9.7 5.5l4.6 0zM12 20l4-13 3.5 2.5z",
  "trade-hands": "M8 5 4 9l4 4M4 9h13M16 11l4 4-4 4M20 15H7",
  "keep-two": "M5 7.5 12 5l4.5 12.5-7 2.5zM14.5 5.5H18a1.5 1.5 0 0 1 1.5 1.5v9M9 9.5l1.5 4M12 8.5l1.5 4",
};

/** The icon as a group of SVG, centred on 0, 0 and *size* wide. */
export function icon(id, size) {
  return svg("g.icon", { transform: `scale(${size / 24}) translate(-12 -12)` }, svg("path", { d: PATHS[id] ?? CARD }));
}
