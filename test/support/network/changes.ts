import { expect, onTestFinished, vi } from 'vitest';
import { type Service, TOKEN } from '../service.js';

/** A change as its JSON is, with an exact id. */
export interface Change {
  readonly cursor: number;
  readonly at: string;
  readonly kind: 'created' | 'changed' | 'deleted';
  readonly by?: string;
  readonly plant: { readonly id: bigint; readonly name: string; readonly tag?: string };
}

/** Reads the JSON of a change. */
export function parseChange(text: string): Change {
  return parseExactIds(text) as Change;
}

/** Reads JSON in which ids of plants are exact. */
export function parseExactIds(text: string): unknown {
  return JSON.parse(text, (name, value: unknown, { source = '' }: { source?: string } = {}) =>
    name === 'id' && typeof value === 'number' ? BigInt(source) : value,
  );
}

/** All changes behind a cursor. On PostgreSQL, a busy machine may keep the latest ones from a reader for a while. */
export async function changesAfter(service: Service, after: string | number): Promise<Change[]> {
  const last = await service.database.lastCursor();
  return vi.waitFor(async () => {
    const changes = await changesSoFar(service, after);
    expect(changes.at(-1)?.cursor ?? Number(after)).toBeGreaterThanOrEqual(last);
    return changes;
  });
}

/** The changes behind a cursor that the service shows at this moment, page by page. */
export async function changesSoFar(service: Service, after: string | number): Promise<Change[]> {
  const changes: Change[] = [];
  for (let path: string | undefined = `/plants/changes?after=${after}&limit=1000`; path;) {
    const { status, text, headers } = await service.send('GET', path);
    if (status !== 200) throw new Error(text);
    const page: Change[] = parseExactIds(text) as Change[];
    changes.push(...page);
    const next: string | undefined = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    path = page.length > 0 ? `/plants/changes${next}` : undefined;
  }
  return changes;
}

/** The names of the plants that changes lead to from an empty store. */
export function storeOf(changes: readonly Change[]): Map<bigint, string> {
  const plants = new Map<bigint, string>();
  for (const { kind, plant } of changes)
    if (kind === 'deleted') plants.delete(plant.id);
    else plants.set(plant.id, plant.name);
  return plants;
}

/** Follows the changes as a client does, from one connection to the next. */
export class Follower {
  readonly changes: Change[] = [];
  /** The `id` of the last event. */
  lastId: string | undefined;
  comments = 0;
  /** The status of the last response, and whether it has ended. */
  status: number | undefined;
  hasEnded = false;
  private abort = new AbortController();

  constructor(private readonly token = TOKEN) {
    onTestFinished(() => this.stop());
  }

  /** Connects; resolves with the first bytes of the response. */
  async follow(service: Pick<Service, 'url'>, query = ''): Promise<void> {
    this.hasEnded = false;
    this.abort = new AbortController();
    const response = await fetch(`${service.url}/plants/changes${query}`, {
      headers: {
        Authorization: `Bearer ${this.token}`,
        Accept: 'text/event-stream',
        ...(this.lastId !== undefined && { 'Last-Event-ID': this.lastId }),
      },
      signal: this.abort.signal,
    });
    this.status = response.status;
    const first = Promise.withResolvers<void>();
    void this.read(response, first.resolve);
    await first.promise;
  }

  stop(): void {
    this.abort.abort();
  }

  private async read({ body }: Response, onData: () => void): Promise<void> {
    let text = '';
    try {
      for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        onData();
        const events = (text + part).split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) this.take(event);
      }
    } catch {
      // Cut off.
    }
    onData();
    this.hasEnded = true;
  }

  private take(event: string): void {
    const [, id, data] =
      /^(?:: \n)?id: (\d+)\n(?:retry: 1000|event: change\ndata: ([^\n]*))$/.exec(event) ?? [];
    if (id === undefined) return;
    this.lastId = id;
    if (data === undefined) this.comments += 1;
    else this.changes.push(parseChange(data));
  }
}
