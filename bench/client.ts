import type { ServerProcess } from './servers.js';

/** Sends a GET, and one for each page after the first if all are wanted; returns the milliseconds that it took. */
export async function get(server: ServerProcess, path: string, allPages = false): Promise<number> {
  const startedAt = performance.now();
  for (let next: string | undefined = path; next !== undefined;) {
    const response: Response = await send(server, next);
    await response.arrayBuffer();
    const [, link] = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '') ?? [];
    next = allPages && link !== undefined ? new URL(link, new URL(next, server.url)).href : undefined;
  }
  return performance.now() - startedAt;
}

/** A client that follows the changes of plants. */
export class Follower {
  private readonly abort = new AbortController();
  private readonly arrivals = new Map<number, (time: number) => void>();

  /** Starts to follow the changes from now on. */
  static async start(server: ServerProcess): Promise<Follower> {
    const follower = new Follower();
    const headers = { accept: 'text/event-stream' };
    const response = await send(server, '/plants/changes', { headers, signal: follower.abort.signal });
    void follower.read(response).catch(() => undefined);
    return follower;
  }

  /** Resolves with the time at which the creation of a plant arrives. */
  async arrivalOf(id: number): Promise<number> {
    return new Promise((resolve) => this.arrivals.set(id, resolve));
  }

  stop(): void {
    this.abort.abort();
  }

  private async read({ body }: Response): Promise<void> {
    let text = '';
    for await (const chunk of body ?? []) {
      const time = performance.now();
      text += Buffer.from(chunk).toString();
      for (const [, id] of text.matchAll(/"id":(\d+)/g)) this.arrivals.get(Number(id))?.(time);
      text = text.slice(text.lastIndexOf('\n') + 1);
    }
  }
}

/** Creates a plant; returns the milliseconds from the response to the change at a follower. */
export async function createFollowed(server: ServerProcess, follower: Follower, id: number): Promise<number> {
  const arrival = follower.arrivalOf(id);
  const response = await send(server, '/plants', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, name: 'Monstera deliciosa', tag: 'houseplant' }),
  });
  const respondedAt = performance.now();
  await response.arrayBuffer();
  return Math.max(0, (await arrival) - respondedAt);
}

/** @throws Error unless the request succeeds. */
export async function send(
  { url, token }: ServerProcess,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const request = new Request(new URL(path, url), init);
  request.headers.set('authorization', `Bearer ${token}`);
  const response = await fetch(request);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}
