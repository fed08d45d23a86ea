/**
 * Messages that a client reads and writes. Each has one spelling (docs/reference/messages.md): a message that exists was
 * read from it or is written in it, and is never changed.
 */

import { holds } from "./promise.js";
import { Ratio } from "./ratio.js";
import { BadParameter } from "./refusals.js";
import { canonical, digest } from "./spelling.js";

const VERSION = 1;
const MAX_PEOPLE = 2 ** 33;
const MAX_ITEM_BYTES = 4096;
const MAX_ITEMS = 1000;

// what a field may hold, as JSON has it

const hex = (digits) => (value) => typeof value === "string" && value.length === digits && /^[0-9a-f]*$/.test(value);
const whole = (least, most) => (value) => Number.isInteger(value) && least <= value && value <= most;
const choice = (...choices) => (value) => choices.includes(value);
const optional = (allows) => (value) => value === null || allows(value);

/** True for a text of at most 4,096 bytes in UTF-8, without half of a surrogate pair. */
export const isItem = (value) =>
  typeof value === "string" && value.isWellFormed() && Buffer.byteLength(value) <= MAX_ITEM_BYTES;

function items(value) {
  return Array.isArray(value) && value.length <= MAX_ITEMS && value.every(isItem) && new Set(value).size === value.length;
}

function ratio(least, most, withoutEnds = false) {
  const ends = [Ratio.parse(least), Ratio.parse(most)];
  return (value) => {
    const number = Ratio.parse(value);
    if (number === null || `${number}` !== value) return false;
    if (withoutEnds && ends.some((end) => `${end}` === value)) return false;
    return ends[0].isAtMost(number) && number.isAtMost(ends[1]);
  };
}

class Message {
  constructor(fields) {
    const { kind, kinds, longest } = this.constructor;
    const names = Object.keys(kinds);
    const known = Object.keys(fields).length === names.length && names.every((name) => Object.hasOwn(fields, name));
    if (!known || !names.every((name) => kinds[name](fields[name]))) throw notOne(this.constructor);
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
  static longest = 2 ** 16;
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
  };
  #digest;
  #holds;

  agrees() {
    if (this.people === null && this.invited === null) return true;
    const both = this.people !== null && this.invited !== null && this.invited <= this.people;
    return both && this.neighbours === "replace" && this.items === 1;
  }

  /** What answers refer to. */
  get digest() {
    this.#digest ??= digest(this.text);
    return this.#digest;
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
  static kinds = { round: hex(32), ticket: hex(32), items };
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
