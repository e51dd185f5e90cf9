const EMPTY: Buffer = Buffer.alloc(0);

/** Steps in which the memory grows: small ones leave much behind, large ones take what may not be needed. */
const GROWTH = 4;

/** Collects bytes that come in pieces into one buffer: as an object of its own, a piece of one byte would take a hundred. */
export class ByteCollector {
  private buffer = EMPTY;
  private used = 0;

  /** @param limit bytes that are collected at most. */
  constructor(private readonly limit: number) {}

  /** Bytes that were collected. */
  get length(): number {
    return this.used;
  }

  /** Bytes of memory that are held. */
  get size(): number {
    return this.buffer.length;
  }

  /** Adds a piece, with which the limit is not passed. */
  add(piece: Buffer): void {
    const length = this.used + piece.length;
    if (this.used === 0) this.buffer = piece;
    else {
      if (length > this.buffer.length) this.grow(Math.min(this.limit, Math.max(length, GROWTH * this.used)));
      piece.copy(this.buffer, this.used);
    }
    this.used = length;
  }

  /** Everything that was collected; begins anew. */
  take(): Buffer {
    const bytes = this.buffer.subarray(0, this.used);
    this.buffer = EMPTY;
    this.used = 0;
    return bytes;
  }

  private grow(size: number): void {
    const larger = Buffer.allocUnsafe(size);
    this.buffer.copy(larger, 0, 0, this.used);
    this.buffer = larger;
  }
}
