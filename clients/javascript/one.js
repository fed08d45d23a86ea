/**
 * Delta of one report under sample and threshold, as docs/proofs/sample-threshold.md proves it: the largest gains are at
 * two numbers of people that are known.
 *
 * Terms are products and sums of numbers above 0, computed as m 2^e with BITS bits that are cut off: each operation loses
 * at most 2^(1 - BITS) of its result. Powers with exponents below 2^60 multiply that by 2^61, and no sum or product here
 * has more than 2^32 operations: every term is right to 2^-SAFE of itself, and never too large before that is added.
 */

import { bitLength, Ratio } from "./ratio.js";

const BITS = 400;
const SAFE = 280n;
const MAX_PEOPLE = 1n << 60n;
const CERTAIN = new Ratio(1n);
const NONE = new Ratio(0n);
const SLACK = new Ratio(1n, 1n << SAFE);
const ABOVE = CERTAIN.plus(SLACK);
const BELOW = CERTAIN.minus(SLACK);

/** Upper bound on delta if one report is added or removed; right to many digits. */
export function delta(rate, threshold, epsilon) {
  const grown = expMinusOne(epsilon);
  const worst = [up(rate, BigInt(threshold), grown), down(rate, BigInt(threshold), grown)];
  return worst[0].isAtMost(worst[1]) ? worst[1] : worst[0];
}

/** e^x, rounded up. */
export function exp(x) {
  return CERTAIN.plus(expMinusOne(x)).times(ABOVE);
}

/** A report present against absent: the worst number of people is (threshold - 1) / q, rounded up. */
function up(rate, threshold, grown) {
  const q = grown.plus(rate).times(inverse(CERTAIN.plus(grown)));
  return largest(threshold, q, (people) => {
    const fell = lastCoin(rate, threshold, people);
    return gain(fell, grown, tailAbove(fell, rate, threshold, people));
  });
}

/** A report absent against present: the worst number is (threshold - 1) / r; if r is not above 0, nothing is gained. */
function down(rate, threshold, grown) {
  const lost = CERTAIN.minus(rate).times(grown);
  if (rate.isAtMost(lost.times(BELOW))) return NONE;
  const r = rate.minus(lost);
  if (r.isAtMost(rate.times(SLACK.times(new Ratio(1n << 80n))))) return CERTAIN; // too near to 0 to tell
  return largest(threshold, r, (people) => {
    const fell = lastCoin(rate, threshold, people);
    return gain(fell, grown, tailBelow(fell, rate, threshold, people));
  });
}

/** The gain at (threshold - 1) / share, rounded up; at both numbers of people if two are possible. */
function largest(threshold, share, gainAt) {
  const turn = new Ratio(threshold - 1n).times(inverse(share));
  const wide = new Ratio(1n, 1n << (SAFE - 81n));
  const ends = [CERTAIN.minus(wide), CERTAIN.plus(wide)].map((factor) => ceil(turn.times(factor)));
  if (ends[1] > MAX_PEOPLE || ends[1] - ends[0] > 1n) return CERTAIN;
  const gains = [...new Set(ends)].map((people) => gainAt(people > threshold ? people : threshold));
  return gains.reduce((most, each) => (most.isAtMost(each) ? each : most), NONE);
}

function gain(fell, grown, tail) {
  const found = exact(fell).times(ABOVE).minus(grown.times(exact(tail)).times(BELOW));
  return found.above < 0n ? NONE : found.isAtMost(CERTAIN) ? found : CERTAIN;
}

/** Probability that the last of these people's coins falls, and is the `threshold`-th to do so. */
function lastCoin(rate, threshold, people) {
  let found = times(power(binary(rate), threshold), power(binary(CERTAIN.minus(rate)), people - threshold));
  for (let at = 1n; at < threshold; at++) found = scaled(found, people - at, at);
  return found;
}

/** Probability that at least `threshold` of one person less fall. */
function tailAbove(fell, rate, threshold, people) {
  const odds = [rate.above, rate.below - rate.above];
  let term = scaled(fell, (people - threshold) * rate.below, threshold * odds[1]);
  let sum = term;
  for (let at = threshold; isSeen(term, sum); at++) {
    term = scaled(term, (people - 1n - at) * odds[0], (at + 1n) * odds[1]);
    sum = plus(sum, term);
  }
  return sum;
}

/** Probability that fewer than `threshold` of these people's coins fall. */
function tailBelow(fell, rate, threshold, people) {
  const odds = [rate.above, rate.below - rate.above];
  let term = scaled(fell, odds[1] * people, odds[0] * (people - threshold + 1n));
  let sum = term;
  for (let at = threshold - 1n; at > 0n && isSeen(term, sum); at--) {
    term = scaled(term, at * odds[1], (people - at + 1n) * odds[0]);
    sum = plus(sum, term);
  }
  return sum;
}

/** e^x - 1, rounded down, as the sum of x^j / j!. */
function expMinusOne(x) {
  let term = binary(x);
  let sum = term;
  for (let at = 2n; isSeen(term, sum); at++) {
    term = scaled(times(term, binary(x)), 1n, at);
    sum = plus(sum, term);
  }
  return exact(sum);
}

// numbers m 2^e, of which BITS bits are kept

function binary(ratio) {
  const shift = BITS + bitLength(ratio.below);
  return cut((ratio.above << BigInt(shift)) / ratio.below, -shift);
}

function cut(m, e) {
  const excess = bitLength(m) - BITS;
  return excess > 0 ? { m: m >> BigInt(excess), e: e + excess } : { m, e };
}

function times(one, other) {
  return cut(one.m * other.m, one.e + other.e);
}

function plus(one, other) {
  const shift = one.e - other.e;
  return shift >= 0 ? cut((one.m << BigInt(shift)) + other.m, other.e) : plus(other, one);
}

/** A number times above / below. */
function scaled({ m, e }, above, below) {
  const shift = bitLength(below) + BITS;
  return cut(((m * above) << BigInt(shift)) / below, e - shift);
}

function power(base, exponent) {
  if (exponent === 0n) return { m: 1n, e: 0 };
  const half = power(base, exponent / 2n);
  const square = times(half, half);
  return exponent % 2n ? times(square, base) : square;
}

/** True while a term changes a sum; what is left out makes a tail smaller, and so its gain larger. */
function isSeen(term, sum) {
  return term.m > 0n && bitLength(term.m) + term.e > bitLength(sum.m) + sum.e - BITS;
}

function exact({ m, e }) {
  return e >= 0 ? new Ratio(m << BigInt(e)) : new Ratio(m, 1n << BigInt(-e));
}

function inverse(ratio) {
  return new Ratio(ratio.below, ratio.above);
}

function ceil(ratio) {
  return (ratio.above + ratio.below - 1n) / ratio.below;
}
