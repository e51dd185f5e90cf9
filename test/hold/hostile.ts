import { connect, type Socket } from 'node:net';
import type { Random } from '../model/random.js';

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

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

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
  connect({ reads = true }: { readonly reads?: boolean } = {}): HostileConnection {
    if (this.hasLeft) throw DEPARTURE;
    const socket = connect({ port: this.port, host: '127.0.0.1', allowHalfOpen: true });
    this.connections.add(socket);
    return new HostileConnection(
      socket.once('close', () => this.connections.delete(socket)),
      reads,
    );
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
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: a', ...headers];
  if (body === undefined) return `${lines.join('\r\n')}\r\n\r\n`;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  if (!headers.some((line) => line.startsWith('Content-Type'))) lines.push('Content-Type: application/json');
  return `${[...lines, `Content-Length: ${Buffer.byteLength(text)}`].join('\r\n')}\r\n\r\n${text}`;
}

const STATUS_LINE = 'HTTP/1.1 ';

/** A connection that no HTTP client would make. What becomes of it is of no interest, as long as the service survives. */
export class HostileConnection {
  /** The statuses of the answers so far. */
  readonly statuses: number[] = [];
  /** Resolves when the service has cut the connection. */
  readonly closed: Promise<void>;
  private onAnswer: () => void = () => undefined;
  private end = '';

  constructor(
    readonly socket: Socket,
    reads: boolean,
  ) {
    this.closed = new Promise((resolve) => socket.on('error', () => undefined).on('close', () => resolve()));
    if (reads) {
      socket.on('data', (chunk) => this.look(chunk.toString('latin1'))).on('end', () => socket.end());
    }
  }

  /** Resolves when all of it has left this process, or nobody is there to take it. */
  async send(bytes: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => {
      void this.closed.then(resolve);
      this.socket.write(bytes, () => resolve());
    });
  }

  /** Resolves when there are so many answers, or the connection has gone. */
  async answers(count: number): Promise<readonly number[]> {
    const enough = new Promise<void>((resolve) => {
      this.onAnswer = () => this.statuses.length >= count && resolve();
      this.onAnswer();
    });
    await Promise.race([enough, this.closed]);
    return this.statuses;
  }

  private look(chunk: string): void {
    // A status line may come in two pieces.
    const text = this.end + chunk;
    let from = text.indexOf(STATUS_LINE);
    for (; from !== -1 && from + 12 <= text.length; from = text.indexOf(STATUS_LINE, from + 12)) {
      this.statuses.push(Number(text.slice(from + 9, from + 12)));
    }
    this.end = from === -1 ? text.slice(-STATUS_LINE.length + 1) : text.slice(from);
    this.onAnswer();
  }
}
