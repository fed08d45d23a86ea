/** Runs the JavaScript client as a process of its own: each line of input is a command, each line of output its answer. */

import { createInterface } from "node:readline";

import * as coins from "../../clients/javascript/coins.js";
import { Client, Invitation, Report, Round } from "../../clients/javascript/index.js";
import { delta as oneReport } from "../../clients/javascript/one.js";
import { Ratio } from "../../clients/javascript/ratio.js";
import { delta as severalReports, moreThan } from "../../clients/javascript/several.js";
import { canonical, digest, float } from "../../clients/javascript/spelling.js";
import { answers } from "../../clients/javascript/step.js";

const KINDS = { round: Round, invitation: Invitation, report: Report };
const people = new Map();
const rounds = new Map();

const COMMANDS = {
  read: ({ kind, text }) => KINDS[kind].fromText(text).text,
  spell: ({ fields }) => canonical(fields),
  digest: ({ text, key }) => digest(text, Buffer.from(key, "hex")),
  holds: ({ round }) => Round.fromText(round).holds,
  promise: ({ round }) => Round.fromText(round).promise,
  level: ({ round, items }) => answers(roundOf(round).step, items),
  float: ({ number }) => float(Number(number)),
  price: ({ rate, threshold, epsilon }) => fraction(oneReport(Ratio.parse(rate), threshold, Ratio.parse(epsilon))),
  prices: ({ rate, threshold, items, neighbours, epsilon }) =>
    fraction(severalReports(Ratio.parse(rate), threshold, items, neighbours, Ratio.parse(epsilon))),
  more: ({ people, rate, maximum }) => fraction(moreThan(people, Ratio.parse(rate), maximum)),
  written: ({ text }) => Ratio.parse(text)?.toString() ?? null,
  coin: ({ rate, bytes }) => given(bytes, (random) => coins.coin(Ratio.parse(rate), random)),
  sequence: ({ count, size, bytes }) => given(bytes, (random) => coins.sequence(count, size, random)),
  person: ({ name, items, key, epsilon, delta, bytes }) => {
    const options = { epsilon, delta, key: key === undefined ? undefined : Buffer.from(key, "hex") };
    people.set(name, new Client(items, bytes === undefined ? options : { ...options, random: reader(bytes) }));
    return null;
  },
  answer: ({ name, round, invitation }) =>
    people.get(name).answer(roundOf(round), invitation ? Invitation.fromText(invitation) : null).text,
};

/** The round that a text is, read and checked once. */
function roundOf(text) {
  if (!rounds.has(text)) rounds.set(text, Round.fromText(text));
  return rounds.get(text);
}

/** A source of randomness that has these bytes, and no more. */
function reader(hex) {
  let left = Buffer.from(hex, "hex");
  const random = (count) => {
    if (count > left.length) throw new Error("no bytes are left");
    const found = left.subarray(0, count);
    left = left.subarray(count);
    return found;
  };
  return Object.assign(random, { left: () => left.length });
}

function given(bytes, draw) {
  const random = reader(bytes);
  return { drawn: draw(random), left: random.left() };
}

function fraction(ratio) {
  return `${ratio.above}/${ratio.below}`;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...fields } = JSON.parse(line);
  try {
    console.log(JSON.stringify({ found: COMMANDS[command](fields) }));
  } catch (error) {
    console.log(JSON.stringify({ refused: error.name, message: error.message }));
  }
}
