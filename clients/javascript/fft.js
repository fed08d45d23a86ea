/** Fast Fourier transform of complex numbers: two arrays, of real and of imaginary parts, whose size is a power of 2. */

/** Transform in place. `sign` is -1 forth and 1 back; back is not divided by the size. */
export function transform(real, imaginary, sign) {
  const size = real.length;
  reorder(real, imaginary);
  const roots = rootsOf(size, sign);
  for (let half = 1; half < size; half *= 2) {
    for (let first = 0; first < size; first += 2 * half) butterflies(real, imaginary, roots, first, half);
  }
}

/** Multiply the numbers of one pair of arrays by those of another, in place. */
export function multiply([real, imaginary], [otherReal, otherImaginary]) {
  for (let at = 0; at < real.length; at++) {
    const [x, y, u, v] = [real[at], imaginary[at], otherReal[at], otherImaginary[at]];
    real[at] = x * u - y * v;
    imaginary[at] = x * v + y * u;
  }
}

function butterflies(real, imaginary, [cosines, sines], first, half) {
  const stride = real.length / (2 * half);
  for (let at = 0; at < half; at++) {
    const [low, high, c, s] = [first + at, first + at + half, cosines[at * stride], sines[at * stride]];
    const x = real[high] * c - imaginary[high] * s;
    const y = real[high] * s + imaginary[high] * c;
    real[high] = real[low] - x;
    imaginary[high] = imaginary[low] - y;
    real[low] += x;
    imaginary[low] += y;
  }
}

function rootsOf(size, sign) {
  const angles = Float64Array.from({ length: size / 2 }, (_, at) => (2 * Math.PI * at) / size);
  return [angles.map(Math.cos), angles.map((angle) => sign * Math.sin(angle))];
}

function reorder(real, imaginary) {
  for (let at = 1, other = 0; at < real.length; at++) {
    let bit = real.length >> 1;
    for (; other & bit; bit >>= 1) other ^= bit;
    other ^= bit;
    if (at < other) {
      [real[at], real[other]] = [real[other], real[at]];
      [imaginary[at], imaginary[other]] = [imaginary[other], imaginary[at]];
    }
  }
}
