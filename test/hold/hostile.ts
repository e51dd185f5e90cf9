import { connect, type Socket } from 'node:net';
import type { Random } from '../model/random.js';
import { headOf, RawConnection } from '../support/network/raw-connection.js';

const DEPARTURE = new Error('The hostile clients have left.');

/** What the hostile clients of one phase attack, and with what. */
export class Target {
  private readonly connections = new Set<Socket>();
  private hasLeft = false;

  /**
   * @param token one that may read and write.
   * @param share of each attack that is made: 1, or less where many are made together.
   */
  constructor(
    private readonly port: number,
    readonly token: string,
    private readonly random: Random,
    private readonly share: number,
  ) {}

  /** A whole number from 0 up to below `end`. */
  below(end: number): number {
    return this.random.below(end);
  }

  /** Does something so many times at once, or the share of it. */
  async times(count: number, act: (index: number) => Promise<unknown>): Promise<unknown> {
    return Promise.all(Array.from({ length: Math.ceil(count * this.share) }, (_, index) => act(index)));
  }

  /**
   * Makes an attack; its clients leave for good when it takes longer than so many milliseconds. Connections that it leaves open
   * stay so. Resolves with whether it was done in time.
   */
  async attack(run: (target: Target) => Promise<unknown>, milliseconds: number): Promise<boolean> {
    const timer = setTimeout(() => this.disconnect(), milliseconds);
    try {
      await run(this);
    } catch (error) {
      if (error !== DEPARTURE) throw error;
    } finally {
      clearTimeout(timer);
    }
    return !this.hasLeft;
  }

  /** Opens a connection; one that does not read leaves every answer to the service and the kernel. */
  connect({ reads = true }: { readonly reads?: boolean } = {}): RawConnection {
    if (this.hasLeft) throw DEPARTURE;
    const socket = connect({ port: this.port, host: '127.0.0.1', allowHalfOpen: true });
    this.connections.add(socket);
    socket.once('close', () => this.connections.delete(socket));
    return new RawConnection(socket, 'latin1', { reads, keeps: false });
  }

  /** The bytes of a request with the token. */
  request(method: string, path: string, body?: string | object, headers: readonly string[] = []): string {
    return message(method, path, body, [`Authorization: Bearer ${this.token}`, ...headers]);
  }

  /** Cuts whatever is still open, and opens nothing any more. */
  disconnect(): void {
    this.hasLeft = true;
    for (const socket of this.connections) socket.destroy();
  }
}

/** The bytes of a request without a token; the content is JSON unless the headers say otherwise. */
export function message(
  method: string,
  path: string,
  body?: string | object,
  headers: readonly string[] = [],
): string {
  const start = `${method} ${path} HTTP/1.1`;
  const lines = ['Host: a', ...headers];
  if (body === undefined) return headOf(start, lines);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  if (!headers.some((line) => line.startsWith('Content-Type'))) lines.push('Content-Type: application/json');
  return headOf(start, [...lines, `Content-Length: ${Buffer.byteLength(text)}`]) + text;
}
