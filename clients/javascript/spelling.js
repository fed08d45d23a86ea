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

/** A code unit of UTF-16, as text. */
function unit(text, at) {
  const code = text.charCodeAt(at);
  if (SHORT[text[at]]) return SHORT[text[at]];
  return code >= 32 && code < 127 ? text[at] : `\\u${code.toString(16).padStart(4, "0")}`;
}
