/** Numbers that look random and are the same for the same seed and index (mulberry32). */
export class Random {
  readonly index: number;
  private state: number;

  constructor(seed: number, index: number) {
    this.index = index;
    this.state = Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b);
    this.below(2);
    this.state ^= Math.imul(index + 1, 0xc2b2ae35);
  }

  /** An integer from 0 to under `limit`. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** Once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }

  /** One of some values, each as often as its weight says. */
  weighted<Value>(values: readonly (readonly [weight: number, value: Value])[]): Value {
    let place = this.below(values.reduce((sum, [weight]) => sum + weight, 0));
    const found = values.find(([weight]) => (place -= weight) < 0);
    return (found as readonly [number, Value])[1];
  }

  bigint(bits: number): bigint {
    let value = 0n;
    for (let size = 0; size < bits; size += 32) value = (value << 32n) | BigInt(this.below(2 ** 32));
    return BigInt.asIntN(bits, value);
  }
}
