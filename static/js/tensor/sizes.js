// How large a tensor's numbers are, by rank: found without sorting them all, since every picture on
// the page asks at every keystroke.

const SIZE = 0x7fffffff; // the bits of a float32 without its sign: they rise with |x|
const INFINITE = 0x7f800000;
const SHIFT = 20; // the exponent and three digits of the fraction say which of
const BUCKETS = INFINITE >>> SHIFT; // so many buckets a number is in

const known = new WeakMap(); // data -> Map of share -> size

/** The smallest |x| that a share of the finite numbers other than 0 does not exceed; 1 where there
 * are none. `data` is a Float32Array. */
export function sizeAt(data, share) {
  if (!known.has(data)) known.set(data, new Map());
  const found = known.get(data);
  if (!found.has(share)) found.set(share, ranked(data, share));
  return found.get(share);
}

function ranked(data, share) {
  const bits = new Uint32Array(data.buffer, data.byteOffset, data.length);
  const counts = new Uint32Array(BUCKETS);
  let count = 0;
  for (let i = 0; i < bits.length; i += 1) {
    const size = bits[i] & SIZE;
    if (size !== 0 && size < INFINITE) {
      counts[size >>> SHIFT] += 1;
      count += 1;
    }
  }
  if (count === 0) return 1;
  let rank = Math.ceil(share * count) - 1;
  let bucket = 0;
  while (rank >= counts[bucket]) {
    rank -= counts[bucket];
    bucket += 1;
  }
  const within = new Uint32Array(counts[bucket]);
  let at = 0;
  for (let i = 0; i < bits.length; i += 1) {
    const size = bits[i] & SIZE;
    if (size >>> SHIFT === bucket && size !== 0) {
      within[at] = size;
      at += 1;
    }
  }
  within.sort();
  return new Float32Array(within.buffer, 4 * rank, 1)[0];
}
