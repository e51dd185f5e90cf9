import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { TOKEN } from '../service.js';

const STATUS_LINE = 'HTTP/1.1 ';

/** A TCP connection to a service, for what no HTTP client would send. */
export class RawConnection {
  /** The statuses of the responses so far. */
  readonly statuses: number[] = [];
  /** Everything received once the connection is closed. */
  readonly ended: Promise<string>;
  /** Whether the connection broke instead of being closed. */
  isReset = false;
  private text = '';
  /** The part of `text` in which every status line was counted. */
  private counted = 0;
  private onResponse: () => void = () => undefined;

  /** @param keeps whether `received` and `ended` have what came; nothing is read without `reads`. */
  constructor(
    readonly socket: Socket,
    encoding: BufferEncoding,
    { reads = true, keeps = true }: { readonly reads?: boolean; readonly keeps?: boolean } = {},
  ) {
    this.ended = new Promise((resolve) => {
      socket.on('error', () => (this.isReset = true)).on('close', () => resolve(this.text));
    });
    if (reads) {
      socket.setEncoding(encoding).on('end', () => socket.end());
      socket.on('data', (chunk: string) => this.take(chunk, keeps));
    }
  }

  /** Everything received so far. */
  received(): string {
    return this.text;
  }

  /** Resolves when all of it has left this process, or nobody is there to take it. */
  async send(bytes: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => {
      void this.ended.then(() => resolve());
      this.socket.write(bytes, () => resolve());
    });
  }

  /** Resolves when there are so many responses, or the connection has gone. */
  async responses(count: number): Promise<readonly number[]> {
    const enough = new Promise<void>((resolve) => {
      this.onResponse = () => this.statuses.length >= count && resolve();
      this.onResponse();
    });
    await Promise.race([enough, this.ended]);
    return this.statuses;
  }

  private take(chunk: string, keeps: boolean): void {
    this.text += chunk;
    for (;;) {
      const at = this.text.indexOf(STATUS_LINE, this.counted);
      // A status line may come in two pieces.
      if (at === -1 || at + 12 > this.text.length) {
        this.counted = at === -1 ? Math.max(this.counted, this.text.length - STATUS_LINE.length + 1) : at;
        break;
      }
      this.statuses.push(Number(this.text.slice(at + 9, at + 12)));
      this.counted = at + 12;
    }
    if (!keeps) {
      this.text = this.text.slice(this.counted);
      this.counted = 0;
    }
    this.onResponse();
  }
}

/** Connects and sends `text`; the connection is gone when the test is over. */
export async function sendRaw(port: number, text: string): Promise<RawConnection> {
  const connection = new RawConnection(connect(port, '127.0.0.1'), 'utf8');
  onTestFinished(() => void connection.socket.destroy());
  await connection.send(text);
  return connection;
}

/** A request with the token of the tests, and a body of JSON if there is one. */
export function requestText(start: string, headers: readonly string[] = [], body?: string): string {
  const common = ['Host: plants', `Authorization: Bearer ${TOKEN}`, ...headers];
  const ofBody = ['Content-Type: application/json', `Content-Length: ${body?.length}`];
  return headOf(`${start} HTTP/1.1`, body === undefined ? common : [...common, ...ofBody]) + (body ?? '');
}

/** The head of a message: its first line, and the lines of its headers. */
export function headOf(start: string, lines: readonly string[]): string {
  return `${[start, ...lines].join('\r\n')}\r\n\r\n`;
}
