/** PostgreSQL's hash of an int64 (`hashint8`), by which Citus chooses the shard of a row. */
export function hashOf(value: bigint): number {
  const low = Number(BigInt.asIntN(32, value));
  const high = Number(BigInt.asIntN(32, value >> 32n));
  return hashOfInt32(low ^ (value < 0n ? ~high : high));
}

/** `hash_bytes_uint32` of PostgreSQL's src/common/hashfn.c, which is Bob Jenkins' lookup3 on one word. */
function hashOfInt32(word: number): number {
  const start = (0x9e3779b9 + 4 + 3923095) | 0;
  let [a, b, c] = [(start + word) | 0, start, start];
  c = ((c ^ b) - rotated(b, 14)) | 0;
  a = ((a ^ c) - rotated(c, 11)) | 0;
  b = ((b ^ a) - rotated(a, 25)) | 0;
  c = ((c ^ b) - rotated(b, 16)) | 0;
  a = ((a ^ c) - rotated(c, 4)) | 0;
  b = ((b ^ a) - rotated(a, 14)) | 0;
  return ((c ^ b) - rotated(b, 24)) | 0;
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
