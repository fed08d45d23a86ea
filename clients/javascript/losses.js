/**
 * Privacy loss of one report under sample and threshold, on a grid, in floating point; every value is an upper bound, and
 * rounding errors are added. The delta of one pair of laws that dominates all numbers of people is convex in e^epsilon, so
 * that straight lines between the points of a grid lie above it (docs/proofs/sample-threshold.md, "Several reports").
 */

/** Added to a delta, for what underflows. */
export const UNDERFLOW = 1e-300;

/** Distribution of the loss in one direction: the least loss in steps, the chances from there on, and that of an infinite
 * loss. Losses above `reach` count as infinite. */
export function losses(rate, threshold, direction, step, reach) {
  const [low, high] = [Math.floor(Math.log1p(-rate) / step), Math.ceil(reach / step)];
  const [first, last] = direction === "up" ? [low, high] : [-high, -low];
  const at = Float64Array.from({ length: last - first + 1 }, (_, index) => step * (first + index));
  const deltas = at.map((epsilon) => profile(rate, threshold, direction, epsilon));
  return { first, chances: chancesOf(deltas, at.map(Math.exp), step), infinite: deltas.at(-1) };
}

/** Upper bound on delta at an epsilon of at least 0. */
export function curve(rate, threshold, direction, epsilon) {
  const kept = Math.log1p(-rate) + (direction === "up" ? -epsilon : epsilon);
  if (kept >= 0) return 0; // the gain rises to 0 as the number of people grows
  const people = Math.max(Math.ceil((threshold - 1) / -Math.expm1(kept)), threshold);
  const [fell, other] = terms(rate, threshold, direction, people);
  return Math.min(1, Math.max(0, fell - Math.expm1(epsilon) * other)) + UNDERFLOW;
}

/** P_n(k), the chance that k of n coins fall, for 1 <= k <= n, by Stirling's series in which nothing large cancels
 * (Loader 2000). Its relative error is below `errorOf(k)`. */
export function chance(k, n, p) {
  if (n === k) return Math.exp(k * Math.log(p));
  const rest = n - k;
  const roots = stirling(n) - stirling(k) - stirling(rest) + Math.log(n / (2 * Math.PI * k * rest)) / 2;
  return Math.exp(roots - (k * Math.log(k / (n * p)) + rest * Math.log1p((n * p - k) / (n * (1 - p)))));
}

export function errorOf(k) {
  return 1e-12 + 4e-15 * k;
}

/** Sum of `first` and what follows, each term the one before times `ratio(at)`, until nothing is added. */
export function series(first, ratio) {
  let sum = first;
  for (let at = 0, term = first * ratio(0); term > 1e-17 * sum; at++, term *= ratio(at)) sum += term;
  return sum;
}

/** Delta at any epsilon: at a negative one it follows from that of the other direction. */
function profile(rate, threshold, direction, epsilon) {
  if (epsilon >= 0) return curve(rate, threshold, direction, epsilon);
  const back = curve(rate, threshold, direction === "up" ? "down" : "up", -epsilon);
  return Math.min(1, -Math.expm1(epsilon) + Math.exp(epsilon) * back + 1e-15);
}

/** Chances of the points of a grid, whose delta is straight between them as a function of x = e^epsilon. */
function chancesOf(deltas, x, step) {
  const widths = x.subarray(0, -1).map((each) => each * Math.expm1(step));
  const slopes = widths.map((width, at) => (deltas[at + 1] - deltas[at]) / width);
  for (let at = slopes.length - 2; at >= 0; at--) slopes[at] = Math.min(slopes[at], slopes[at + 1]); // convex
  const highest = deltas.at(-1) - slopes.reduce((sum, slope, at) => sum + slope * widths[at], 0);
  const before = (at) => (at ? slopes[at - 1] : (highest - 1) / x[0]);
  return x.map((each, at) => Math.max(0, (slopes[at] ?? 0) - before(at)) * each);
}

/** p P_{N-1}(threshold - 1), rounded up, and T_{N-1}(threshold) or 1 - T_N(threshold), rounded down. */
function terms(rate, threshold, direction, people) {
  const error = errorOf(threshold);
  const fell = rate * chance(threshold - 1, people - 1, rate) * (1 + error);
  return [fell, (direction === "up" ? tailAbove : tailBelow)(rate, threshold, people) * (1 - error)];
}

function tailAbove(rate, threshold, people) {
  if (people <= threshold) return 0;
  const odds = rate / (1 - rate);
  return series(chance(threshold, people - 1, rate), (at) => ((people - 1 - threshold - at) / (threshold + at + 1)) * odds);
}

function tailBelow(rate, threshold, people) {
  const odds = (1 - rate) / rate;
  return series(chance(threshold - 1, people, rate), (at) => ((threshold - 1 - at) / (people - threshold + at + 2)) * odds);
}

/** log n! - log(sqrt(2 pi n) (n/e)^n). */
function stirling(n) {
  if (n >= 16) return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / n ** 2) / n ** 2) / n ** 2) / n;
  let product = 1;
  for (let at = 2; at <= n; at++) product *= at;
  return Math.log(product) - (n + 0.5) * Math.log(n) + n - Math.log(2 * Math.PI) / 2;
}
