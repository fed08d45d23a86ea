/** What a field of a message may hold, as JSON has it: functions that are true for a value that is allowed. */

import { Ratio } from "./ratio.js";

export const MAX_ITEMS = 1000;
const MAX_TEXT_BYTES = 4096;

export const hex = (digits) => (value) =>
  typeof value === "string" && value.length === digits && /^[0-9a-f]*$/.test(value);
export const whole = (least, most) => (value) => Number.isInteger(value) && least <= value && value <= most;
export const choice = (...choices) => (value) => choices.includes(value);
export const optional = (allows) => (value) => value === null || allows(value);
export const truth = (value) => typeof value === "boolean";

/** True for a text of at most 4,096 bytes in UTF-8, without half of a surrogate pair. */
export const isItem = (value) =>
  typeof value === "string" && value.isWellFormed() && Buffer.byteLength(value) <= MAX_TEXT_BYTES;

/** An array of values that are all allowed. */
export const array = (allows, least, most) => (value) =>
  Array.isArray(value) && least <= value.length && value.length <= most && value.every(allows);

/** Different texts. */
export const texts = (most) => (value) => array(isItem, 0, most)(value) && new Set(value).size === value.length;

/** An exact number in its one spelling. */
export function ratio(least, most, withoutEnds = false) {
  const ends = [Ratio.parse(least), Ratio.parse(most)];
  return (value) => {
    const number = Ratio.parse(value);
    if (number === null || `${number}` !== value) return false;
    if (withoutEnds && ends.some((end) => `${end}` === value)) return false;
    return ends[0].isAtMost(number) && number.isAtMost(ends[1]);
  };
}

/** An object with these fields and no other, that do not contradict each other. */
export const object = (kinds, agrees = () => true) => (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && hasFields(value, kinds) && agrees(value);

/** True if an object has these fields and no other, each with what it may hold; those in `added` may be missing. */
export function hasFields(value, kinds, added = []) {
  const names = Object.keys(kinds).filter((name) => Object.hasOwn(value, name) || !added.includes(name));
  const complete = names.length === Object.keys(value).length && names.every((name) => Object.hasOwn(value, name));
  return complete && names.every((name) => kinds[name](value[name]));
}
