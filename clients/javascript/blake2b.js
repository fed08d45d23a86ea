/**
 * BLAKE2b with a key and a short output (RFC 7693): node's own crypto has it without a key and with 64 bytes alone.
 * It is written for short texts, not for speed.
 */

const BLOCK = 128;
const WORD = (1n << 64n) - 1n;
const INITIAL = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const ORDERS = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194",
  "7931dcbe265a40f8", "905724afe1bc683d", "2c6a0b834d75fe19",
  "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5",
  "a2847615fb9e3cd0",
].map((row) => Array.from(row, (digit) => parseInt(digit, 16)));
/** Places of the words that are mixed together: columns, then diagonals. */
const LANES = [
  [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
  [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14],
];
const ROUNDS = 12;

const PERSON_BYTES = 16;

/** Hash bytes, in hexadecimal; `key` has at most 64 bytes, and `person`, the personalisation, at most 16. */
export function blake2b(content, { key = Buffer.alloc(0), person = Buffer.alloc(0), bytes = 16 } = {}) {
  const state = [...INITIAL];
  const padded = Buffer.concat([person, Buffer.alloc(PERSON_BYTES - person.length)]);
  for (const at of [0, 1]) state[6 + at] ^= padded.readBigUInt64LE(8 * at);
  state[0] ^= 0x01010000n ^ (BigInt(key.length) << 8n) ^ BigInt(bytes);
  const first = key.length ? Buffer.concat([key, Buffer.alloc(BLOCK - key.length)]) : Buffer.alloc(0);
  const message = Buffer.concat([first, content]);
  const last = Math.max(0, Math.ceil(message.length / BLOCK) - 1);
  for (let block = 0; block <= last; block++) {
    const count = block === last ? message.length : (block + 1) * BLOCK;
    compress(state, wordsOf(message.subarray(block * BLOCK, (block + 1) * BLOCK)), BigInt(count), block === last);
  }
  return bytesOf(state).subarray(0, bytes).toString("hex");
}

function compress(state, words, count, isLast) {
  const work = [...state, ...INITIAL];
  work[12] ^= count;
  if (isLast) work[14] ^= WORD;
  for (let round = 0; round < ROUNDS; round++) {
    const order = ORDERS[round % ORDERS.length];
    LANES.forEach((lane, at) => mix(work, lane, words[order[2 * at]], words[order[2 * at + 1]]));
  }
  for (let at = 0; at < 8; at++) state[at] ^= work[at] ^ work[at + 8];
}

function mix(work, [a, b, c, d], first, second) {
  work[a] = (work[a] + work[b] + first) & WORD;
  work[d] = rotate(work[d] ^ work[a], 32n);
  work[c] = (work[c] + work[d]) & WORD;
  work[b] = rotate(work[b] ^ work[c], 24n);
  work[a] = (work[a] + work[b] + second) & WORD;
  work[d] = rotate(work[d] ^ work[a], 16n);
  work[c] = (work[c] + work[d]) & WORD;
  work[b] = rotate(work[b] ^ work[c], 63n);
}

function rotate(word, bits) {
  return (word >> bits) | ((word << (64n - bits)) & WORD);
}

function wordsOf(part) {
  const block = Buffer.alloc(BLOCK);
  part.copy(block);
  return Array.from({ length: BLOCK / 8 }, (_, at) => block.readBigUInt64LE(8 * at));
}

function bytesOf(state) {
  const found = Buffer.alloc(8 * state.length);
  state.forEach((word, at) => found.writeBigUInt64LE(word, 8 * at));
  return found;
}
