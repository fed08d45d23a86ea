/** Exact numbers: fractions of BigInts in lowest terms. */

const NUMBER = /^(?:[0-9]{1,40}(?:\.[0-9]{1,60})?|[0-9]{1,50}\/[1-9][0-9]{0,49})$/;

export class Ratio {
  constructor(above, below = 1n) {
    const common = divisor(above < 0n ? -above : above, below);
    this.above = above / common;
    this.below = below / common;
  }

  /** The number that a text spells; null if it spells none, or one of many digits. */
  static parse(text) {
    if (typeof text !== "string" || !NUMBER.test(text)) return null;
    const [above, below] = text.split("/");
    if (below !== undefined) return new Ratio(BigInt(above), BigInt(below));
    const [whole, decimals = ""] = text.split(".");
    return new Ratio(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
  }

  /** The number that a finite float is, exactly. */
  static ofFloat(value) {
    let bits = 0n;
    for (; !Number.isInteger(value); bits++) value *= 2;
    return new Ratio(BigInt(value), 1n << bits);
  }

  plus(other) {
    return new Ratio(this.above * other.below + other.above * this.below, this.below * other.below);
  }

  minus(other) {
    return this.plus(new Ratio(-other.above, other.below));
  }

  times(other) {
    return new Ratio(this.above * other.above, this.below * other.below);
  }

  isAtMost(other) {
    return this.above * other.below <= other.above * this.below;
  }

  /** The nearest float, to within 2^-51 of it. */
  toFloat() {
    const shift = BigInt(Math.max(0, bitLength(this.below) - bitLength(this.above) + 64));
    return Number((this.above << shift) / this.below) / 2 ** Number(shift);
  }

  /** The one spelling: a plain decimal where there is one, else a fraction. */
  toString() {
    const places = decimals(this.below);
    if (places === null) return `${this.above}/${this.below}`;
    const digits = `${(this.above * 10n ** BigInt(places)) / this.below}`.padStart(places + 1, "0");
    return places ? `${digits.slice(0, -places)}.${digits.slice(-places)}` : digits;
  }
}

/** Number of binary digits of a BigInt above 0; 0 of 0. */
export function bitLength(value) {
  if (!value) return 0;
  const digits = value.toString(16);
  return 4 * digits.length - Math.clz32(parseInt(digits[0], 16)) + 28;
}

/** Number of decimals of a fraction with this denominator; null if there is no end of them. */
function decimals(below) {
  let [twos, fives] = [0, 0];
  for (; below % 2n === 0n; twos++) below /= 2n;
  for (; below % 5n === 0n; fives++) below /= 5n;
  return below === 1n ? Math.max(twos, fives) : null;
}

function divisor(one, other) {
  while (other) [one, other] = [other, one % other];
  return one;
}
