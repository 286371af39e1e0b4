/** The page: links the socket, the model and the drawing. */

import { Answers } from "./answers.js";
import { RuleCard } from "./card.js";
import { showSight } from "./colours.js";
import { make, put, svg } from "./dom.js";
import { Home } from "./home.js";
import { Lab } from "./lab.js";
import { Link } from "./link.js";
import { Model } from "./model.js";
import { Damaged, Recording } from "./record.js";
import { Replay } from "./replay.js";
import { Say } from "./say.js";
import { Settings } from "./settings.js";
import { Share } from "./share.js";
import { Sound } from "./sound.js";
import { Tape } from "./tape.js";
import { Touch } from "./touch.js";
import { firstLanguage, keep, LANGUAGES, Words } from "./words.js";

const UNITS = {
  "triple-play": async () => (await import("./units/triple-play.js")).TriplePlay,
  "master": async () => (await import("./units/master.js")).Master,
  "spin": async () => (await import("./units/spin.js")).Spin,
  "party": async () => (await import("./units/party.js")).Party,
};
const $ = (id) => document.getElementById(id);

async function unitOf({ unit }) {
  if (!(unit in UNITS)) throw new Error(`this page cannot draw a unit called "${unit}"`);
  return UNITS[unit]();
}

class Page {
  constructor(words) {
    this.words = words;
    this.model = null;
    this.unit = null;
    this.how = ["connecting", ""];
    this.pages = 1;
    this.replay = null;                                 // while a record is watched: its player, and what it draws on
    this.stage = null;
    this.say = new Say(words, (event) => (this.stage ?? this.unit).describe(event, this.words));
    const send = (message) => this.link.send(message);
    this.card = new RuleCard();
    this.home = new Home(send);
    this.settings = new Settings(send);
    this.share = new Share(send);
    this.answers = new Answers(send);
    this.tape = new Tape(send, () => this.watchOwn("record.jsonl"));
    this.lab = null;
    this.sound = new Sound({}, () => this.showChips());
    this.touch = new Touch(send, () => this.draw(), () => this.replay !== null || !this.mayPress);
    this.waiting = Promise.resolve();
    // A click must not take the focus: the next space would press what was clicked, instead of GO.
    addEventListener("mousedown", (event) => { if (event.target.closest("button")) event.preventDefault(); });
    $("sound").addEventListener("click", () => this.sound.toggle());
    $("language").addEventListener("change", ({ target }) => {
      this.speak(target.value).catch((error) => this.stumble(error));
      if (!target.matches(":focus-visible")) target.blur();         // chosen by mouse: the keys are the unit's again
    });
    $("record").addEventListener("change", ({ target }) => this.watchChosen(target));
    this.showTexts();
    // Messages that come while a unit's module is still loading wait for it, in order.
    const inTurn = (act) => (...given) => { this.waiting = this.waiting.then(() => act.apply(this, given)).catch((error) => this.stumble(error)); };
    this.link = new Link({ hello: inTurn(this.hello), moment: inTurn(this.moment), note: inTurn(this.note), link: inTurn(this.linked) });
  }

  /** Whether this page may press anything: one beside the real unit, or a guest's, may not. */
  get mayPress() { return !this.greeting?.shows_only && (this.greeting?.may_press ?? true); }

  /** The greeting, and each later one: the unit is another one now, or has other settings. */
  async hello(hello) {
    const first = this.unit === null;
    this.greeting = hello;
    this.sound.tones = hello.tones;
    this.pages = hello.pages;
    const drawn = JSON.stringify([hello.header.unit, hello.header.settings]);
    if (drawn !== this.drawn) {
      if (this.model?.header.unit === hello.header.unit) this.touch.letGo(); else this.touch.forget();
      const Unit = await unitOf(hello.header);
      this.unit?.leave?.();
      this.touch.keys.clear();
      this.model = new Model(hello.header, hello.snapshot);
      this.unit = new Unit({ model: this.model, touch: this.touch, send: (message) => this.link.send(message), glyphs: hello.glyphs });
      if (this.replay === null) $("unit").replaceChildren(this.unit.element);
      this.drawn = drawn;
    }
    this.model.header = hello.header;
    this.model.late = hello.late;
    showSight($("unit"), hello.header.settings.common);
    this.lab?.hide();
    this.lab = hello.lab ? new Lab(hello.parts, this.touch, (message) => this.link.send(message)) : null;
    this.take(hello.snapshot);
    this.showTexts();
    if (hello.away || this.isAway) this.warn(hello.away ? this.words.say("notice.away") : "");
    this.isAway = hello.away ?? false;
    if (first && hello.watch) await this.watchOwn("watch.jsonl", hello.watch);
  }

  /** Watch the record in the file that was chosen. */
  async watchChosen(chooser) {
    const [file] = chooser.files;
    chooser.value = "";                                 // the same file may be chosen again
    if (file !== undefined) await this.watch(file.name, await file.text());
  }

  /** Watch a record that the program itself has. */
  async watchOwn(path, name = path) {
    const answer = await fetch(`/${path}`);
    if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`);
    await this.watch(name, await answer.text());
  }

  async watch(name, text) {
    this.replay?.end();
    try {
      const recording = new Recording(text);
      const units = await Promise.all(recording.headers.map(unitOf));
      const kinds = new Map(recording.headers.map((header, at) => [header, units[at]]));
      this.stageFor = (model) => new (kinds.get(model.header))({ model, touch: { attach() {} }, send() {} });
      this.touch.letGo();
      this.replay = new Replay(recording, { show: (...shown) => this.showRecord(...shown), end: () => this.endReplay() });
      this.replay.label(this.words);
      this.replay.seek(0);
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      this.warn(this.words.say("replay.damaged", { file: name, line: error.line, why: this.words.say(error.why) }), 10000);
    }
  }

  showRecord({ model }, passed, playing) {
    if (this.staged !== model.header) {                 // at the start, and where the record goes on with another unit
      this.stage?.leave?.();
      this.staged = model.header;
      this.stage = this.stageFor(model);
      $("unit").replaceChildren(this.stage.element);
    }
    this.stage.show(model, this.words, model.down);
    const prompt = this.stage.prompt(model, this.words);
    if (!playing) { this.say.past(model.events, prompt, model.state); return; }
    for (const line of passed) if ("tone" in line) this.sound.play(line.tone, line.volume);
    if (passed.length) this.say.moment(passed.filter((line) => "event" in line), prompt, model.state);
  }

  endReplay() {
    this.replay = this.stage = this.staged = null;
    $("unit").replaceChildren(this.unit.element);
    this.draw();
    this.say.past(this.model.events, this.prompt(), this.model.state);
  }

  /** Something in this page went wrong: say so, and go on with the next message. */
  stumble(error) {
    console.error(error);
    this.warn(this.words.say("notice.stumbled", { why: error.message }), 0, this.words.say("notice.reload"), () => location.reload());
  }

  /** All lines of one moment: drawn together, sounded, said. */
  moment(lines) {
    for (const line of lines) this.model.show(line);
    if (this.replay) return;
    this.draw();
    for (const line of lines) if ("tone" in line) this.sound.play(line.tone, line.volume);
    this.say.moment(lines.filter((line) => "event" in line), this.prompt(), this.model.state);
  }

  /** What is asked of whoever sits here: by the self-test while one runs, else by the unit. */
  prompt() {
    if (this.model.state !== "self-test") return this.unit.prompt(this.model, this.words);
    return Answers.prompt(this.model.drawn, this.words);
  }

  note(note) {
    if ("input" in note) { this.model.move(note.input); this.unit.moved?.(note.input); this.draw(); }
    if ("snapshot" in note) this.take(note.snapshot);
    if ("pages" in note) { this.pages = note.pages; this.showChips(); }
    if ("late" in note) { this.model.late = note.late; this.draw(); }
    if ("error" in note && !this.settings.refuse(note.error) && !this.share.refuse(note.error)) this.warn(this.words.say("notice.refused", { why: note.error }), 6000);
    if ("closing" in note) this.closing = true;
  }

  take(snapshot) {
    this.model.replace(snapshot);
    if (this.replay) return;
    this.draw();
    this.say.past(this.model.events, this.prompt(), this.model.state);
  }

  linked(how, why) {
    this.how = [how, why];
    if (how === "open") { this.closing = false; this.warn(""); }
    else this.touch.forget();
    if (how === "lost") this.warn(this.words.say(this.closing ? "notice.ended" : "notice.lost"));
    if (how === "denied") this.warn(this.words.say("notice.denied"));
    if (how === "full") this.warn(this.words.say("notice.full"));
    if (how === "outdated") this.warn(this.words.say("notice.outdated"), 0, this.words.say("notice.reload"), () => location.reload());
    put($("unit"), "data-link", how);
    this.showChips();
  }

  draw() {
    if (this.unit === null || this.replay) return;
    const down = new Set([...this.model.down, ...this.touch.held.keys()]);
    this.unit.show(this.model, this.words, down);
    this.answers.show(this.greeting, this.model, this.words);
    this.lab?.show(this.model, this.words);
  }

  async speak(language) {
    keep("language", language);
    this.chosen = language;
    const words = await Words.load(language);
    if (this.chosen !== language) return;               // another one was chosen meanwhile
    this.words = words;
    this.say.words = this.words;
    this.showTexts();
    if (this.replay) { this.replay.label(this.words); this.replay.seek(this.replay.at); }
    else if (this.unit) { this.draw(); this.say.past(this.model.events, this.prompt(), this.model.state); }
  }

  showTexts() {
    document.documentElement.lang = this.words.language;
    const name = this.model ? this.words.say(`unit.${this.model.header.unit}`) : "";
    put($("unit-name"), "text", name);
    document.title = name ? `${name} – Pilelight` : "Pilelight";
    put($("language"), "aria-label", this.words.say("language"));
    put($("language-tag"), "text", this.words.language.toUpperCase());
    $("language").replaceChildren(...Object.entries(LANGUAGES).map(([tag, own]) =>
      make("option", { value: tag, lang: tag, selected: tag === this.words.language }, own)));
    put($("open-settings").querySelector("span"), "text", this.words.say("settings"));
    if (this.model) {
      this.card.show(this.model.header.unit, this.words);
      this.home.show({ ...this.greeting, unit: this.model.header.unit }, this.words);
      this.settings.draw(this.greeting, this.words);
      this.share.show(this.greeting, this.words);
      this.tape.show(this.greeting, this.words);
      $("keys").replaceChildren(...(this.mayPress ? this.keyLegend() : [this.words.say(this.greeting.shows_only ? "keys.shows-only" : "keys.looks-on")]));
      $("keys").classList.toggle("is-told", !this.mayPress);
    }
    put($("foot"), "text", this.model ? `Pilelight ${this.model.header.version} · ${this.words.say("foot")}` : "");
    put($("open-record"), "text", this.words.say("replay.open"));
    this.showChips();
  }

  /** The unit's keys: `[key, text key]`; what is no text key (GO) stands as it is. */
  keyLegend() {
    const text = (key) => (this.words.has(key) ? this.words.say(key) : key);
    return this.unit.constructor.keys.flatMap(([key, what]) => [make("kbd", {}, key), ` ${text(what)} `]);
  }

  showChips() {
    const [how] = this.how;
    put($("link"), "data-link", how);
    put($("link-text"), "text", how === "open" && this.pages > 1 ? this.words.say("link.pages", { pages: this.pages }) : this.words.say(`link.${how}`));
    const sound = this.sound.how;
    const path = { on: "M15 9a4 4 0 0 1 0 6M18 6a8 8 0 0 1 0 12", off: "M16 9l6 6M22 9l-6 6", asleep: "M16 9l6 6M22 9l-6 6" }[sound];
    $("sound").replaceChildren(
      svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round", "stroke-linejoin": "round" },
        svg("path", { d: "M3 9v6h4l5 4V5L7 9z", fill: "currentColor" }), svg("path", { d: path })),
      make("span.sound-texts", {}, ...["on", "off", "asleep"].map((one) =>
        make("span", { class: one === sound ? "is-now" : "" }, this.words.say(`sound.${one}`)))));
    put($("sound"), "data-sound", sound);
  }

  warn(text, forMs = 0, button = "", act = null) {
    clearTimeout(this.warning);
    $("notice").hidden = text === "";
    $("notice").replaceChildren(text);
    if (button) { const one = make("button", { type: "button" }, button); one.addEventListener("click", act); $("notice").append(one); }
    if (forMs) this.warning = setTimeout(() => this.warn(""), forMs);
  }
}

new Page(await Words.load(firstLanguage()));
