/**
 * Exact draws from random bytes: whole numbers and fractions alone, no floating point.
 *
 * `random` is a function that returns as many fresh, uniform bytes as it is asked for.
 */

import { bitLength } from "./ratio.js";

/** A uniform BigInt from 0 to `count` - 1: of the bits that `count` - 1 has; what is too large is drawn again. */
export function uniform(count, random) {
  const bits = bitLength(count - 1n);
  const bytes = Math.ceil(bits / 8);
  for (;;) {
    const drawn = BigInt(`0x0${Buffer.from(random(bytes)).toString("hex")}`) & ((1n << BigInt(bits)) - 1n);
    if (drawn < count) return drawn;
  }
}

/** True with this probability. */
export function coin(rate, random) {
  return uniform(rate.below, random) < rate.above;
}

/** A uniform sequence of `size` different numbers below `count`, or of all if there are fewer. */
export function sequence(count, size, random) {
  const order = Array.from({ length: count }, (_, at) => at);
  const chosen = Math.min(count, size);
  for (let at = 0; at < chosen; at++) {
    const other = at + Number(uniform(BigInt(count - at), random));
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order.slice(0, chosen);
}
