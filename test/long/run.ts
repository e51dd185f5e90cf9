import { withoutOtherFields } from '../support/plants.js';
import { TOKEN } from '../support/service.js';
import { type Answer, errorOf, problemOf } from './answers.js';
import { Lane } from './lane.js';
import { Random } from './random.js';
import { type Expected, StoreModel } from './store-model.js';

/** Connections that are used at the same time. */
const LANES = 64;

/** Findings after which a run ends. */
const MAX_FINDINGS = 50;

/** Findings of one kind that are told. */
const MAX_OF_A_KIND = 1;

/** A request of which the body, the path or the headers are hostile, but not its form. */
export interface Request {
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly headers?: readonly string[];
  readonly body?: Buffer;
}

/** One run against one service: what was sent, answered, found and has to be stored. */
export class Run {
  readonly model = new StoreModel();
  readonly findings: string[] = [];
  /** How often each answer was given. */
  readonly answers = new Map<number, number>();
  /** How often each kind of problem was found. */
  private readonly kinds = new Map<string, number>();
  private readonly lanes: readonly Lane[];

  constructor(
    readonly port: number,
    readonly seed: number,
  ) {
    this.lanes = Array.from(
      { length: LANES },
      () => new Lane(port, (problem) => this.findings.push(problem)),
    );
  }

  random(index: number): Random {
    return new Random(this.seed, index);
  }

  /**
   * Sends a request; those with the same key are answered in their order.
   *
   * @param check what is wrong with the answer, beyond what is wrong with any.
   */
  async send(
    request: Request,
    key: bigint | number,
    check: (answer: Answer) => string | undefined,
  ): Promise<void> {
    this.assertFewFindings();
    const bytes = bytesOf(request);
    const isHead = request.method === 'HEAD';
    const isCreate = request.method === 'POST' && request.path === '/plants';
    const lane = this.lanes[Number(BigInt.asUintN(16, BigInt(key))) % LANES] as Lane;
    await lane.send(bytes, isHead, (answer) => {
      if (typeof answer === 'string') this.report(request.index, bytes, answer, 'no answer');
      else this.judge(request.index, bytes, answer, problemOf(answer, isCreate, isHead) ?? check(answer));
    });
  }

  /** Ends a run in which so much is wrong that the rest would tell nothing more. */
  assertFewFindings(): void {
    if (this.findings.length >= MAX_FINDINGS) throw new Error(this.findings.join('\n'));
  }

  /** Waits for all answers. */
  async settled(): Promise<void> {
    await Promise.all(this.lanes.map(async (lane) => lane.end()));
  }

  /** Counts an answer, and reports what is wrong with it. */
  judge(index: number, bytes: Buffer, answer: Answer, problem: string | undefined): void {
    this.countAnswer(answer);
    if (problem === undefined) return;
    this.report(
      index,
      bytes,
      `${problem}: ${answer.head.slice(0, 300)} ${answer.body.toString().slice(0, 500)}`,
    );
  }

  /** Counts an answer under its error value, or its status when it is a success or has no body. */
  countAnswer(answer: Answer): void {
    const [, error] = /^\{"error":(\d+)/.exec(answer.body.toString('latin1', 0, 20)) ?? [];
    this.count(Number(error ?? answer.status));
  }

  count(statusOrError: number): void {
    this.answers.set(statusOrError, (this.answers.get(statusOrError) ?? 0) + 1);
  }

  /** Remembers what was found, with all that it takes to see it again. */
  report(index: number, bytes: Buffer, problem: string, kind = problem): void {
    const name = kind.replaceAll(/\d+/g, '#');
    const times = (this.kinds.get(name) ?? 0) + 1;
    this.kinds.set(name, times);
    if (times > MAX_OF_A_KIND) return;
    const sent = JSON.stringify(bytes.toString('latin1', 0, 3_000));
    const rest = bytes.length > 3_000 ? ` and ${bytes.length - 3_000} more bytes` : '';
    this.findings.push(`Input ${index} of seed ${this.seed}: ${problem}\n  ${sent}${rest}`);
  }
}

/** What differs between an answer and the one that is expected. */
export function mismatch(answer: Answer, expected: Expected): string | undefined {
  const { status, error, body } = expected;
  if (answer.status !== status) return `${status} is expected`;
  if (error !== undefined && answer.body.length > 0 && errorOf(answer) !== error)
    return `${error} is expected`;
  return body === undefined || withoutOtherFields(answer.body.toString()) === body
    ? undefined
    : `${body.slice(0, 500)} is expected`;
}

function bytesOf({ index, method, path, headers = [], body }: Request): Buffer {
  // From an address of its own, a refused token is its first guess.
  const client = `X-Forwarded-For: 10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const hasToken = headers.some((line) => /^authorization:/i.test(line));
  const all = [hasToken ? client : AUTHORIZATION, ...headers];
  const length = body === undefined ? [] : [`Content-Length: ${body.length}`];
  const head = Buffer.from(
    `${[`${method} ${path} HTTP/1.1`, 'Host: plants', ...all, ...length].join('\r\n')}\r\n\r\n`,
    'latin1',
  );
  return body === undefined ? head : Buffer.concat([head, body]);
}

export const AUTHORIZATION = `Authorization: Bearer ${TOKEN}`;
