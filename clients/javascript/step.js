/**
 * Steps of a series: rounds that share one promise, and what a person's items become in each
 * (docs/reference/messages.md, "In a round with a `step`").
 */

import { array, hex, object, optional, texts, truth, whole } from "./fields.js";
import { float } from "./spelling.js";

const MAX_ROUNDS = 64;
const MAX_LENGTH = 4096;
const MAX_PREFIXES = 2 ** 12;
const MAX_EDGES = 2 ** 11;
const MAX_CUTS = 100;
const MAX_CELLS = 2 ** 17;
const NUMBER = /^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,3})?$/;
const LONGEST_NUMBER = 100;

const scale = object(
  { edges: array(isFloat, 2, MAX_EDGES), cells: whole(1, MAX_CELLS), clamped: truth },
  ({ edges, cells }) => rises(edges.map(Number)) && cells >= edges.length - 1 && areFinite(edges.map(Number)),
);
const prefixes = object(
  { known: texts(MAX_PREFIXES), known_length: whole(0, MAX_LENGTH), length: optional(whole(1, MAX_LENGTH)) },
  ({ known_length: before, length }) => length === null || length > before,
);
const nodes = object({ scale, width: whole(1, MAX_CELLS) });
const cuts = object({ scale, cuts: array(whole(0, 2 * MAX_CELLS), 1, MAX_CUTS) });

/** True for the place of a round in a series, with its level. */
export const isStep = object(
  {
    series: hex(32),
    number: whole(0, MAX_ROUNDS - 1),
    rounds: whole(1, MAX_ROUNDS),
    prefixes: optional(prefixes),
    nodes: optional(nodes),
    cuts: optional(cuts),
  },
  (step) => step.number < step.rounds && levelsOf(step).length === 1,
);

/** What the level of a step makes of items, in their order. */
export function answers(step, items) {
  if (step.prefixes) return answersOfPrefixes(step.prefixes, items);
  const cell = firstCell((step.nodes ?? step.cuts).scale, items);
  if (cell === null) return [];
  if (step.nodes) return [String(Math.floor(cell / step.nodes.width))];
  return step.cuts.cuts.map((cut, place) => `${place}${cell < cut ? "<" : ">"}`);
}

/** True if no section is wider than the largest float. */
function areFinite(edges) {
  return edges.every((edge, at) => !at || Number.isFinite(edge - edges[at - 1]));
}

function levelsOf(step) {
  return [step.prefixes, step.nodes, step.cuts].filter((level) => level !== null);
}

function answersOfPrefixes({ known, known_length: before, length }, items) {
  const seen = new Set(known);
  return items.filter((item) => seen.has(prefix(item, before))).map((item) => prefix(item, length ?? Infinity));
}

/** The first characters of a text: code points, not units of UTF-16. */
function prefix(text, length) {
  return Array.from(text).slice(0, length).join("");
}

/** The cell of the first item that has one: a person counts once. */
function firstCell(scale, items) {
  for (const item of items) {
    const cell = cellOf(scale, item);
    if (cell !== null) return cell;
  }
  return null;
}

/** The cell of an item that is a plain number; else null. The same floating point operations, in the same order, as
 * those of the analyst. */
function cellOf({ edges, cells, clamped }, item) {
  if (item.length > LONGEST_NUMBER || !NUMBER.test(item)) return null;
  const [value, ends] = [Number(item), edges.map(Number)];
  const [lowest, highest] = [ends[0], ends.at(-1)];
  if (!clamped && !(lowest <= value && value < highest)) return null;
  const last = ends.length - 2;
  const section = Math.max(0, Math.min(last, ends.findLastIndex((edge) => edge <= value)));
  const [first, after] = [section, section + 1].map((each) => Math.floor((each * cells) / (last + 1)));
  if (after - first === 1) return first;
  const within = Math.min(Math.max(value, lowest), highest) - ends[section];
  const cell = Math.floor((within / (ends[section + 1] - ends[section])) * (after - first));
  return first + Math.min(cell, after - first - 1);
}

function isFloat(value) {
  return typeof value === "string" && Number.isFinite(Number(value)) && float(Number(value)) === value;
}

function rises(numbers) {
  return numbers.every((number, at) => !at || numbers[at - 1] < number);
}
