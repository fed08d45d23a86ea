/**
 * Messages that a client reads and writes. Each has one spelling (docs/reference/messages.md): a message that exists was
 * read from it or is written in it, and is never changed.
 */

import { choice, hasFields, hex, isItem, MAX_ITEMS, optional, ratio, texts, whole } from "./fields.js";
import { holds } from "./promise.js";
import { BadParameter } from "./refusals.js";
import { canonical, digest } from "./spelling.js";
import { isStep } from "./step.js";

const VERSION = 1;
const MAX_PEOPLE = 2 ** 33;

class Message {
  /** Fields that are left out if there is nothing in them. */
  static added = [];

  constructor(fields) {
    const { kind, kinds, added, longest } = this.constructor;
    if (!hasFields(fields, kinds, added)) throw notOne(this.constructor);
    Object.assign(this, fields);
    this.text = canonical({ kind, version: VERSION, ...fields });
    if (!this.agrees() || this.text.length > longest) throw notOne(this.constructor);
    Object.freeze(this);
  }

  /** True if fields do not contradict each other. */
  agrees() {
    return true;
  }

  /** The message that a text is; anything but its one spelling is refused. */
  static fromText(text) {
    const { kind, version, ...fields } = parseObject(text, this);
    const message = kind === this.kind && version === VERSION ? new this(fields) : null;
    if (message === null || message.text !== text) throw notOne(this);
    return message;
  }
}

/** Plan of one collection, with its privacy promise. */
export class Round extends Message {
  static kind = "round";
  static longest = 2 ** 24;
  static added = ["step", "insiders", "sites_per_person"];
  static kinds = {
    id: hex(32),
    asks: isItem,
    rate: ratio("0.000000001", "0.99"),
    threshold: whole(2, 2 ** 20),
    items: whole(1, MAX_ITEMS),
    neighbours: choice("add-remove", "replace"),
    epsilon: ratio("0.000001", "20"),
    delta: ratio("0", "1", true),
    people: optional(whole(1, MAX_PEOPLE)),
    invited: optional(whole(1, MAX_PEOPLE)),
    step: isStep,
    insiders: whole(1, 1000),
    sites_per_person: whole(1, 100),
  };
  #digest;
  #holds;

  agrees() {
    if (this.threshold < this.known + 2) return false;
    if (this.sites_per_person && this.people !== null) return false;
    if (this.step && (this.people !== null || this.reports > MAX_ITEMS)) return false;
    if (this.people === null && this.invited === null) return true;
    const both = this.people !== null && this.invited !== null && this.invited <= this.people;
    return both && this.neighbours === "replace" && this.items === 1;
  }

  /** What answers refer to. */
  get digest() {
    this.#digest ??= digest(this.text);
    return this.#digest;
  }

  /** Most reports of one person that the promise is for: in all rounds of a series. */
  get reports() {
    return this.items * (this.step?.rounds ?? 1);
  }

  /** Largest number of places where the same person reports. */
  get memberships() {
    return this.sites_per_person ?? 1;
  }

  /** Most sampled reports about one item that a reader knows of: each insider has one at each of their sites. */
  get known() {
    return (this.insiders ?? 0) * this.memberships;
  }

  /** What a person pays for: this round, or all of a series with the same terms. */
  get promise() {
    return this.step ? digest(this.shared) : this.digest;
  }

  /** Terms of the promise of a series, as text; empty if this round has its own. */
  get shared() {
    if (!this.step) return "";
    const terms = [this.step.series, this.step.rounds, this.threshold, this.items, this.neighbours];
    const more = [this.insiders ?? 0, this.sites_per_person ?? 0];
    return canonical([...terms, this.rate, this.epsilon, this.delta, ...(more.some(Boolean) ? more : [])]);
  }

  /** What a person answers once: this round, or this number of a series, whatever its level is. */
  get turn() {
    return this.step ? digest(`${this.promise} ${this.step.number}`) : this.digest;
  }

  /** True if rate and threshold keep the promise. */
  get holds() {
    this.#holds ??= holds(this);
    return this.#holds;
  }
}

/** Invitation of one person to a round. */
export class Invitation extends Message {
  static kind = "invitation";
  static longest = 2 ** 10;
  static kinds = { round: hex(32), person: whole(0, MAX_PEOPLE), ticket: hex(32) };
}

/** Items of one person that are in the sample: often none. */
export class Report extends Message {
  static kind = "report";
  static longest = 2 ** 24;
  static kinds = { round: hex(32), ticket: hex(32), items: texts(MAX_ITEMS) };
}

function parseObject(text, { kind, longest }) {
  if (typeof text === "string" && text.length <= longest) {
    try {
      const found = JSON.parse(text);
      if (typeof found === "object" && found !== null && !Array.isArray(found)) return found;
    } catch {
      // refused below, like everything that is no message
    }
  }
  throw notOne({ kind });
}

function notOne({ kind }) {
  return new BadParameter(`text: not a ${kind} of version ${VERSION}.`, "the text of the message, unchanged");
}
