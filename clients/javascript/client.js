/**
 * Client of one person: holds their items, and reports those that random coins select.
 *
 * Invariants:
 *
 * - it does not trust the analyst: a round that does not keep its promise gets no answer;
 * - it answers a round once, which is noted before anything is drawn, and rounds up to an optional total budget;
 * - rounds that share a promise are charged once, together, and each is answered once. In each, the person's items are what
 *   its public level makes of them; of more than it allows, those count that come first in an order by a keyed hash;
 * - every item has a coin of its own, tossed anew for every round, and not stored;
 * - it always sends a report, even an empty one: answering reveals nothing about its coins.
 */

import { randomBytes } from "node:crypto";

import { blake2b } from "./blake2b.js";
import { coin, sequence } from "./coins.js";
import { isItem } from "./fields.js";
import { Report } from "./messages.js";
import { Ratio } from "./ratio.js";
import { BadParameter, Refused } from "./refusals.js";
import { digest } from "./spelling.js";
import { answers } from "./step.js";

const KEY_BYTES = 32;
const ORDER = Buffer.from("order");
const PAID = Buffer.from("paid");

export class Client {
  #items;
  #key;
  #left;
  #random;
  #answered = new Set(); // rounds, or turns of a series
  #paid = new Set(); // what is kept of promises

  /**
   * Create the client of a person with these items. With an `epsilon` (a text such as "3"), it answers until the promises
   * of all rounds add up to that, or to `delta`. The `key` is 32 bytes that a device keeps if it may forget that it has
   * answered: from the same key come the same tickets, and a ticket counts once.
   */
  constructor(items, { epsilon = null, delta = "0.00001", key = null, random = randomBytes } = {}) {
    this.#items = distinct(items);
    this.#random = random;
    this.#key = key === null ? random(KEY_BYTES) : checkedKey(key);
    this.#left = epsilon === null ? null : budget(epsilon, delta);
  }

  /** Report the items of this person that are in the sample of this round. */
  answer(round, invitation = null) {
    const expected = round.people === null ? null : round.digest;
    if (round.holds && (invitation?.round ?? null) !== expected) {
      throw new Refused("A round that invites people needs the invitation; any other round takes none.", "answer(round, invitation)");
    }
    this.#admit(round);
    const chosen = round.step ? this.#become(round) : this.#select(round.items);
    if (invitation !== null) {
      // its coin was tossed where the invitations come from
      return new Report({ round: round.digest, ticket: invitation.ticket, items: chosen });
    }
    const rate = Ratio.parse(round.rate);
    const items = chosen.filter(() => coin(rate, this.#random));
    return new Report({ round: round.digest, ticket: digest(round.digest, this.#key), items });
  }

  /** Record this round as answered and charge its promise to the budget; or refuse it. */
  #admit(round) {
    if (!round.holds) {
      throw new Refused("This round does not keep its promise.", "a round with more noise, or a lower rate");
    }
    if (this.#answered.has(round.turn)) {
      throw new Refused("This person has answered this round.", "another round, with an id of its own");
    }
    const paid = this.#paidFor(round);
    if (!this.#paid.has(paid)) this.#charge(Ratio.parse(round.epsilon), Ratio.parse(round.delta));
    this.#paid.add(paid);
    this.#answered.add(round.turn);
  }

  /** What is kept of a promise: if rounds share it, a keyed hash of its terms. Without the key nobody can look for two
   * promises, one cheap and one not, that are kept as the same. */
  #paidFor(round) {
    return round.step ? blake2b(Buffer.from(round.shared), { key: this.#key, person: PAID }) : round.turn;
  }

  #charge(epsilon, delta) {
    if (this.#left === null) return;
    if (!epsilon.isAtMost(this.#left.epsilon) || !delta.isAtMost(this.#left.delta)) {
      throw new Refused("This person's budget does not allow this round.", "a round with less epsilon and delta");
    }
    this.#left = { epsilon: this.#left.epsilon.minus(epsilon), delta: this.#left.delta.minus(delta) };
  }

  /** What the items become in a round of a series: different answers, at most `items`. */
  #become(round) {
    const place = (item) => blake2b(Buffer.from(round.promise + item), { key: this.#key, person: ORDER });
    const places = new Map(this.#items.map((item) => [item, place(item)]));
    const ordered = [...this.#items].sort((one, other) => (places.get(one) < places.get(other) ? -1 : 1));
    return [...new Set(answers(round.step, ordered))].slice(0, round.items);
  }

  /** Select the items that take part: all, or a uniformly random sequence of them. */
  #select(limit) {
    if (this.#items.length <= limit) return this.#items;
    return sequence(this.#items.length, limit, this.#random).map((at) => this.#items[at]);
  }
}

/** The distinct items of a person, by their code points. */
function distinct(items) {
  if (!Array.isArray(items) || !items.every(isItem)) {
    throw new BadParameter("items: a list of texts of at most 4,096 bytes is needed.", 'new Client(["apple"])');
  }
  return [...new Set(items)].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

function checkedKey(key) {
  if (!(key instanceof Uint8Array) || key.length !== KEY_BYTES) {
    throw new BadParameter("key: 32 bytes are needed.", "key: randomBytes(32)");
  }
  return Buffer.from(key);
}

function budget(epsilon, delta) {
  const total = { epsilon: Ratio.parse(epsilon), delta: Ratio.parse(delta) };
  if (!total.epsilon?.above || total.delta === null || total.delta.above >= total.delta.below) {
    throw new BadParameter("epsilon, delta: exact numbers as texts are needed: above 0, and below 1.", 'epsilon: "3", delta: "0.00001"');
  }
  return total;
}
