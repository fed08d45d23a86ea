/**
 * Delta of several reports of one person under sample and threshold, composed: the loss is a sum of independent losses,
 * and its law a convolution, computed by FFT of tilted chances. What rounding may lose is added
 * (docs/proofs/sample-threshold.md, "Several reports").
 *
 * The grid is twice as fine as that of the analyst, so that this bound is below the one that a round was made with.
 */

import { multiply, transform } from "./fft.js";
import { chance, curve, errorOf, losses, series, UNDERFLOW } from "./losses.js";
import { Ratio } from "./ratio.js";

const POINTS = 320;
const MAX_WINDOW = 2 ** 21;
const MAX_LOSS = 300;
const NEGLIGIBLE_SHARE = 1e-2;
const ROUNDOFF = 2 ** -53;
/** More than what a fraction loses as a float. */
const NUDGE = 2 ** -50;
const CHANGES = { "add-remove": [["up"], ["down"]], replace: [["up", "down"]] };
/** Tilts to choose from, in units of 1 / (the range of losses). Any is valid. */
const TILTS = geometric(0.1, 1e4, 40);

/** Upper bound on the delta of `items` reports. */
export function delta(rate, threshold, items, neighbours, epsilon) {
  const p = Math.max(rate.toFloat(), 1e-15) * (1 + NUDGE); // delta grows with the rate and falls with epsilon
  const at = epsilon.toFloat() * (1 - NUDGE);
  const reach = reachOf(p, threshold, items, at);
  const step = stepOf(at, reach - Math.log1p(-p), items);
  let worst = 0;
  for (const change of CHANGES[neighbours]) {
    const parts = change.map((direction) => losses(p, threshold, direction, step, reach));
    const found = composed(parts, items, step, at, worst);
    worst = Math.max(worst, Number.isFinite(found) ? found : 1);
  }
  return Ratio.ofFloat(Math.min(1, worst * (1 + 1e-9 * items) + UNDERFLOW));
}

/** Upper bound on the chance that more than `maximum` of `people` coins fall. */
export function moreThan(people, rate, maximum) {
  const p = rate.toFloat() * (1 + NUDGE);
  if (maximum >= people) return new Ratio(0n);
  if (maximum <= people * p) return new Ratio(1n); // no series that falls
  const ratio = (at) => ((people - maximum - 1 - at) / (maximum + 2 + at)) * (p / (1 - p));
  const sum = series(chance(maximum + 1, people, p), ratio);
  return Ratio.ofFloat(Math.min(1, sum * (1 + 1e-9 + errorOf(maximum))));
}

/** Loss from which losses count as infinite: that adds a negligible delta, or is far above epsilon. */
function reachOf(rate, threshold, items, epsilon) {
  const most = Math.min(8 - items * Math.log1p(-rate), MAX_LOSS);
  const candidates = geometric(1e-4, 1, 64).map((share) => epsilon + most * share);
  const negligible = NEGLIGIBLE_SHARE * curve(rate, threshold, "up", epsilon) + rate ** threshold;
  return candidates.find((each) => curve(rate, threshold, "up", each) <= negligible) ?? candidates.at(-1);
}

/** Step of the grid: fine enough, and with epsilon as a grid point unless it is too small. */
function stepOf(epsilon, span, items) {
  const step = span / (POINTS * Math.floor(Math.sqrt(items)));
  return epsilon > step ? epsilon / Math.ceil(epsilon / step) : step;
}

/** Delta of all parts composed; or `enough`, if a quick bound shows that it is not above that. */
function composed(parts, items, step, epsilon, enough) {
  const logs = parts.map((part) => items * Math.log1p(-Math.min(part.infinite, 1 - ROUNDOFF)));
  const infinite = -Math.expm1(total(logs));
  const tilts = TILTS.map((tilt) => tilt / (step * Math.max(...parts.map((part) => part.chances.length))));
  const weights = tilts.map((tilt) => items * total(parts.map((part) => weightOf(part, step, tilt))));
  const bounds = weights.map((weight, at) => weight - tilts[at] * epsilon); // Chernoff's
  const best = bounds.indexOf(Math.min(...bounds));
  if (infinite + Math.exp(bounds[best]) <= enough) return enough;
  const { first, chances } = above(parts, items, step, epsilon, tilts[best]);
  const end = step * (first + chances.length - 1);
  const beyond = Math.exp(Math.min(...weights.map((weight, at) => weight - tilts[at] * end)));
  const finite = chances.map((tilted, at) => {
    const loss = step * (first + at);
    return tilted * Math.exp(weights[best] - tilts[best] * loss) * Math.max(0, -Math.expm1(epsilon - loss));
  });
  return infinite + total(finite) + beyond;
}

/** Tilted chances of the sums above epsilon, within the window, rounded up: the error of an FFT of n numbers is at most
 * 7 log2(n) roundoffs of their norm (Higham 2002, Theorem 24.2), and no chance and no number of a spectrum is above 1. */
function above(parts, items, step, epsilon, tilt) {
  const laws = parts.map((part) => tiltedLaw(part, step, tilt));
  const size = sizeOf(laws, items);
  const wrapped = convolved(laws, items, size);
  const first = Math.floor(epsilon / step) + 1;
  const shift = first - items * total(parts.map((part) => part.first));
  const error = 16 * ROUNDOFF * Math.log2(size) * (items * parts.length + 1);
  const place = (at) => (((shift + at) % size) + size) % size;
  return { first, chances: Float64Array.from({ length: size / 2 }, (_, at) => wrapped[place(at)] + error) };
}

/** The law of the sum of `items` of each, modulo the size. */
function convolved(laws, items, size) {
  const [spectrum, ...others] = laws.map((law) => spectrumOf(law, size));
  for (const other of others) multiply(spectrum, other);
  const [real, imaginary] = power(spectrum, items);
  transform(real, imaginary, 1);
  return real.map((value) => value / size);
}

function spectrumOf(law, size) {
  const [real, imaginary] = [new Float64Array(size), new Float64Array(size)];
  law.forEach((value, at) => (real[at % size] += value));
  transform(real, imaginary, -1);
  return [real, imaginary];
}

/** Power by repeated squaring. */
function power(base, exponent) {
  if (exponent === 1) return base.map((part) => part.slice());
  const found = power(base, Math.floor(exponent / 2));
  multiply(found, found.map((part) => part.slice()));
  if (exponent % 2) multiply(found, base);
  return found;
}

/** Size of the FFT: a power of 2, enough for all sums or for nearly all: half has room for one large loss, and for 8
 * standard deviations. */
function sizeOf(laws, items) {
  const points = total(laws.map((law) => law.length));
  const likely = points + 8 * Math.sqrt(items * total(laws.map(variance)));
  const needed = Math.min(2 * items * points, 2 * Math.floor(likely), MAX_WINDOW - 1);
  return 2 ** (Math.floor(Math.log2(needed)) + 1);
}

function variance(law) {
  const mean = total(law.map((value, at) => value * at));
  return total(law.map((value, at) => value * (at - mean) ** 2));
}

/** Logarithm of the sum of the chances times e^(tilt loss). */
function weightOf(part, step, tilt) {
  const exponents = part.chances.map((value, at) => Math.log(value) + tilt * step * (part.first + at));
  const most = exponents.reduce((one, other) => Math.max(one, other), -Infinity);
  return most + Math.log(total(exponents.map((each) => Math.exp(each - most))));
}

/** The chances times e^(tilt loss), to a sum of 1. */
function tiltedLaw(part, step, tilt) {
  const weight = weightOf(part, step, tilt);
  return part.chances.map((value, at) => Math.exp(Math.log(value) + tilt * step * (part.first + at) - weight));
}

function total(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

function geometric(first, last, count) {
  return Array.from({ length: count }, (_, at) => first * (last / first) ** (at / (count - 1)));
}
