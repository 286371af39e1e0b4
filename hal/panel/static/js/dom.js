/** Elements in a line. `make("button.pad", {type: "button"}, child, "text")`; `svg(…)` the same in the SVG namespace. */

const SVG = "http://www.w3.org/2000/svg";

export const make = (what, attributes = {}, ...children) => build((tag) => document.createElement(tag), what, attributes, children);
export const svg = (what, attributes = {}, ...children) => build((tag) => document.createElementNS(SVG, tag), what, attributes, children);

function build(create, what, attributes, children) {
  const [tag, ...classes] = what.split(".");
  const element = create(tag);
  if (classes.length) element.classList.add(...classes);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Set an attribute or text only where it changes: what stays the same costs no repaint and no announcement. */
export function put(element, name, value) {
  const text = String(value);
  if (name === "text") { if (element.textContent !== text) element.textContent = text; }
  else if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}
