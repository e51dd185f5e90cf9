import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { TOKEN } from '../support/service.js';

/** Findings after which a run ends: more would tell nothing new. */
const MAX_FINDINGS = 20;

/** What came back for a request. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One run against one service: sends requests, and collects what is wrong with the answers. */
export class Run {
  readonly findings: string[] = [];
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    readonly port: number,
    readonly seed: number,
  ) {}

  /** Sends a request with a good token, over a connection that is kept for the next one. */
  async send(method: string, path: string, body?: Buffer, type = 'application/json'): Promise<Answer> {
    const headers = {
      Authorization: `Bearer ${TOKEN}`,
      ...(body && { 'Content-Type': type, 'Content-Length': body.length }),
    };
    return new Promise((resolve, reject) => {
      request({ port: this.port, method, path, headers, agent: this.agent })
        .on('error', (error) => reject(new Error(`${method} ${path} got no answer`, { cause: error })))
        .on('response', (response) => {
          const { statusCode: status = 0, headers: received } = response;
          text(response).then((content) => resolve({ status, headers: received, body: content }), reject);
        })
        .end(body);
    });
  }

  /** Remembers a problem, with all that it takes to see it again. */
  report(problem: string, sent: Buffer): void {
    this.findings.push(
      `Seed ${this.seed}: ${problem}\n  sent: ${JSON.stringify(sent.toString('latin1').slice(0, 3_000))}`,
    );
    if (this.findings.length >= MAX_FINDINGS) throw new Error(this.findings.join('\n'));
  }
}

/** What is wrong with an answer, whatever was asked; undefined when nothing is. */
export function problemOf({ status, headers, body }: Answer): string | undefined {
  if (status < 400 || body === '') return status < 500 ? undefined : `${status} without an Error`;
  if (headers['content-type'] !== 'application/json')
    return `${headers['content-type']} is no type of an Error`;
  const { error, message } = JSON.parse(body) as { error: unknown; message: unknown };
  if (typeof error !== 'number' || !Number.isInteger(error) || typeof message !== 'string' || message === '')
    return `${body} is no Error`;
  // A create returns 400 for a taken id, too.
  const isRight = Math.floor(error / 100) === status || (error === 40900 && status === 400);
  return isRight && error !== 50000 ? undefined : `${status} with the error ${error}`;
}
