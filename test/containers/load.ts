import { setInterval } from 'node:timers/promises';
import { vi } from 'vitest';
import { createRequest } from '../support/service.js';

const INTERVAL_MS = 5;

/** What became of a create: an answer, or none. */
interface Outcome {
  readonly id: number;
  readonly status: number | 'aborted';
  /** Value of the Error record, if it was one. */
  readonly error?: number | undefined;
  readonly retryAfter?: string | null;
  /** When it was known, in milliseconds since the epoch. */
  readonly at: number;
}

let lastId = 0;

/** Clients who create one plant after the other at a constant rate, whatever becomes of those before. */
export class Load {
  private readonly outcomes: Outcome[] = [];
  private readonly end = new AbortController();
  private readonly sent: Promise<void>;

  constructor(private readonly url: string) {
    this.sent = this.send();
  }

  /** Waits until so many creates more are answered 200. */
  async acknowledges(more: number): Promise<void> {
    const enough = this.acknowledged.length + more;
    await vi.waitUntil(() => this.acknowledged.length >= enough, { timeout: 180_000, interval: 20 });
  }

  /** Ends the load, and waits until everything is answered. */
  async stop(): Promise<void> {
    this.end.abort();
    await this.sent;
  }

  get acknowledged(): Outcome[] {
    return this.outcomes.filter(({ status }) => status === 200);
  }

  get failed(): Outcome[] {
    return this.outcomes.filter(({ status }) => status !== 200);
  }

  private async send(): Promise<void> {
    const creates: Promise<void>[] = [];
    try {
      for await (const _ of setInterval(INTERVAL_MS, undefined, { signal: this.end.signal })) {
        creates.push(this.create((lastId += 1)));
      }
    } catch (error) {
      if (!this.end.signal.aborted) throw error;
    }
    await Promise.all(creates);
  }

  private async create(id: number): Promise<void> {
    try {
      const response = await fetch(`${this.url}/plants`, createRequest({ id, name: `Aloe ${id}` }));
      const { error } = (await response.json()) as { error?: number };
      const retryAfter = response.headers.get('retry-after');
      this.outcomes.push({ id, status: response.status, error, retryAfter, at: Date.now() });
    } catch {
      this.outcomes.push({ id, status: 'aborted', at: Date.now() });
    }
  }
}
