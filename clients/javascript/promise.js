/** Check of a round's promise: a client answers only if rate and threshold are proved to give epsilon and delta. */

import { delta as severalReports, moreThan } from "./several.js";
import { delta as oneReport, exp } from "./one.js";
import { Ratio } from "./ratio.js";

const ONE = new Ratio(1n);

/** True if an upper bound on the delta of the round, at its epsilon, is at most its delta. */
export function holds(round) {
  const rate = Ratio.parse(round.rate);
  const epsilon = Ratio.parse(round.epsilon);
  const sampled = repeated(round, rate, epsilon);
  return sampled.plus(truncated(round, rate, epsilon)).isAtMost(Ratio.parse(round.delta));
}

/** Delta of the reports of a person at all of their sites: as many steps, each with a part of epsilon. */
function repeated(round, rate, epsilon) {
  const part = epsilon.times(new Ratio(1n, BigInt(round.memberships)));
  const factors = Array.from({ length: round.memberships }, (_, at) => exp(part.times(new Ratio(BigInt(at)))));
  const step = delta(round, rate, part);
  return round.memberships === 1 ? step : step.times(factors.reduce((sum, factor) => sum.plus(factor)));
}

/** Delta of one person's reports at one site. A reader who knows of some of the reports about an item reads its count as
 * if the threshold were lower by their number. */
function delta(round, rate, epsilon) {
  const threshold = round.threshold - round.known;
  const single = round.reports === 1 && round.neighbours === "add-remove";
  if (single) return oneReport(rate, threshold, epsilon);
  return severalReports(rate, threshold, round.reports, round.neighbours, epsilon);
}

/** What is added to delta because the sample is held to those who are invited: 1 + e^epsilon times the chance that it is
 * larger (docs/how-to/federated.md, "Ask some, not all"). */
function truncated(round, rate, epsilon) {
  if (round.people === null) return new Ratio(0n);
  return ONE.plus(exp(epsilon)).times(moreThan(round.people, rate, round.invited));
}
