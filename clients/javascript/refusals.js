/** What is refused, with a line to write instead. No refusal repeats what a message or a person holds. */

class Refusal extends Error {
  constructor(message, fix) {
    super(`${message} Fix: ${fix}`);
    this.name = new.target.name;
  }
}

/** Text that is no message, or a parameter that is not allowed. */
export class BadParameter extends Refusal {}

/** What the protocol does not allow: a second answer, a promise that is not kept. */
export class Refused extends Refusal {}
