/** Check of a round's promise: a client answers only if rate and threshold are proved to give epsilon and delta. */

import { delta as severalReports, moreThan } from "./several.js";
import { delta as oneReport, exp } from "./one.js";
import { Ratio } from "./ratio.js";

const ONE = new Ratio(1n);

/** True if an upper bound on the delta of the round, at its epsilon, is at most its delta. */
export function holds(round) {
  const rate = Ratio.parse(round.rate);
  const epsilon = Ratio.parse(round.epsilon);
  const single = round.reports === 1 && round.neighbours === "add-remove";
  const sampled = single
    ? oneReport(rate, round.threshold, epsilon)
    : severalReports(rate, round.threshold, round.reports, round.neighbours, epsilon);
  return sampled.plus(truncated(round, rate, epsilon)).isAtMost(Ratio.parse(round.delta));
}

/** What is added to delta because the sample is held to those who are invited: 1 + e^epsilon times the chance that it is
 * larger (docs/how-to/federated.md, "Ask some, not all"). */
function truncated(round, rate, epsilon) {
  if (round.people === null) return new Ratio(0n);
  return ONE.plus(exp(epsilon)).times(moreThan(round.people, rate, round.invited));
}
