/** Client of headcount.federated for people whose device runs JavaScript. */

export { Client } from "./client.js";
export { Invitation, Report, Round } from "./messages.js";
export { BadParameter, Refused } from "./refusals.js";
