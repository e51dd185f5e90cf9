/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = Math.imul(seed, 0x9e3779b1);
  }

  /** An integer from 0 to under `limit`. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  private pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }

  /** Bytes of which a few are missing, others or there twice. */
  mutated(text: string | Uint8Array): Buffer {
    let bytes = Buffer.from(text);
    for (let times = 1 + this.below(4); times > 0; times -= 1) {
      const place = this.below(bytes.length);
      const added = [
        Buffer.from(this.pick(MUTATIONS), 'latin1'),
        Buffer.of(this.below(256)),
        bytes.subarray(place, place + 20),
      ];
      bytes = Buffer.concat([
        bytes.subarray(0, place),
        this.pick(added),
        bytes.subarray(place + this.below(4)),
      ]);
    }
    return bytes;
  }
}

/** What HTTP and JSON treat apart, and bytes that are no UTF-8. */
const MUTATIONS = [''].concat(
  ['\r\n', '\r', '\n', '\0', '\t', ' ', '0', '"', '\\', '{', '}', '[', ']', ',', ':'],
  [
    '\xef\xbb\xbf',
    '\xe2\x80\xa8',
    '\x80',
    '\xc0\x80',
    '\xed\xa0\x80',
    '\xf4\x90\x80\x80',
    '\xe2\x82',
    '\xff',
  ],
);
