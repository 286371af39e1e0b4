/** Phones: the code that lets others in, for the owner; the PIN that makes an owner, for guests. */

import { make, put, svg } from "./dom.js";

const QUIET = 4;                   // modules of white round a QR code

export class Share {
  constructor(send) {
    this.send = send;
    this.pin = null;                                    // kept while the page is open, for when the link comes back
    this.waits = false;
    this.dialog = document.getElementById("share");
    this.open = document.getElementById("open-share");
    this.open.addEventListener("click", () => this.dialog.showModal());
    this.dialog.addEventListener("click", ({ target }) => { if (target === this.dialog) this.dialog.close(); });   // beside it
  }

  show({ owner, share }, words) {
    const was = this.owner;
    this.owner = owner;
    this.words = words;
    this.open.hidden = owner === undefined || (owner && !share?.code);     // nobody else can come, or it needs no code
    if (owner === undefined) return;
    put(this.open, "text", words.say(owner ? "share.open" : "share.enter"));
    const close = make("button.chip.rules-close", { type: "button" }, words.say("close"));
    close.addEventListener("click", () => this.dialog.close());
    this.dialog.replaceChildren(close, make("h2", { id: "share-title" }, words.say(owner ? "share.title" : "share.enter")),
      ...(owner ? (share?.code ? this.code(share, words) : []) : [this.form(words)]));
    if (owner && was === false) { this.waits = false; this.dialog.close(); }
    if (!owner && this.pin !== null && !this.waits) this.enter(this.pin);
  }

  code({ url, pin, code }, words) {
    const size = code.length + 2 * QUIET;
    const dark = code.flatMap((row, y) => [...row].map((module, x) => (module === "1" ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : "")));
    return [
      svg("svg.share-code", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": words.say("share.code"), "shape-rendering": "crispEdges" },
        svg("rect", { width: size, height: size, fill: "#fff" }), svg("path", { d: dark.join(""), fill: "#000" })),
      make("p.share-address", {}, url), make("p", {}, words.say("share.pin-is", { pin })), make("p.fine", {}, words.say("share.note"))];
  }

  form(words) {
    const field = make("input", { id: "share-pin", type: "text", inputmode: "numeric", autocomplete: "off", maxlength: 12, required: true, autofocus: true });
    this.error = make("p", { role: "alert" });
    const form = make("form.share-form", {}, make("label", { for: "share-pin" }, words.say("share.pin")), field,
      make("button.chip", { type: "submit" }, words.say("share.send")), this.error);
    form.addEventListener("submit", (event) => { event.preventDefault(); put(this.error, "text", ""); this.enter(field.value.trim()); field.select(); });
    return form;
  }

  enter(pin) {
    this.pin = pin;
    this.waits = true;
    this.send({ pin });
  }

  /** Say that the PIN was refused; gives false for what is no answer to one. */
  refuse(why) {
    if (!this.waits || !/PINs?\b/.test(why)) return false;
    this.waits = false;
    this.pin = null;
    put(this.error, "text", this.words.say(why.startsWith("wrong") ? "share.wrong" : "share.too-many"));
    return true;
  }
}
