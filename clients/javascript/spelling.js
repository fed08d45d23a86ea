/** The one spelling of a message, and its digest. */

import { blake2b } from "./blake2b.js";

const SHORT = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\" };

/** Canonical JSON: fields in alphabetical order, no spaces, ASCII alone. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "string") return `"${Array.from({ length: value.length }, (_, at) => unit(value, at)).join("")}"`;
  if (typeof value !== "object" || value === null) return String(value);
  const fields = Object.keys(value).sort().map((name) => `${canonical(name)}:${canonical(value[name])}`);
  return `{${fields.join(",")}}`;
}

/** Digest of a message's text, or ticket if there is a key. */
export function digest(text, key) {
  return blake2b(Buffer.from(text), { key });
}

/** The one spelling of a finite 64-bit float: the shortest digits that read as it, as Python writes them. */
export function float(value) {
  const [digits, exponent] = value.toExponential().split("e");
  if (value && (exponent < -4 || exponent >= 16)) {
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  }
  const plain = Math.abs(value) < 1 ? small(digits.replace(/[-.]/g, ""), Number(exponent)) : String(Math.abs(value));
  return `${Object.is(value, -0) || value < 0 ? "-" : ""}${plain}${plain.includes(".") ? "" : ".0"}`;
}

/** Digits after a point, without an exponent. */
function small(digits, exponent) {
  return digits === "0" ? "0.0" : `0.${"0".repeat(-exponent - 1)}${digits}`;
}

/** A code unit of UTF-16, as text. */
function unit(text, at) {
  const code = text.charCodeAt(at);
  if (SHORT[text[at]]) return SHORT[text[at]];
  return code >= 32 && code < 127 ? text[at] : `\\u${code.toString(16).padStart(4, "0")}`;
}
