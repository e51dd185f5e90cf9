import { connect, type Socket } from 'node:net';
import { type Answer, takeAnswer } from './answers.js';

/** Requests that are sent before the answer to the first of them is there. */
const DEPTH = 3;

/** How long an answer may take before it counts as missing: far longer than on any slow machine. */
const PATIENCE_MS = 60_000;

interface Waiting {
  readonly bytes: Buffer;
  readonly isHead: boolean;
  /** Gets the answer, or a reason why there is none. */
  readonly settle: (answer: Answer | string) => void;
}

/** A keep-alive connection on which requests are answered in their order. It opens when it is needed. */
export class Lane {
  private socket: Socket | undefined;
  private received: Buffer = Buffer.alloc(0);
  private readonly waiting: Waiting[] = [];
  /** The request that was answered last. */
  private answered: Buffer = Buffer.alloc(0);
  private onProgress: () => void = () => undefined;

  /** @param onSurprise hears of bytes for which nobody waits. */
  constructor(
    private readonly port: number,
    private readonly onSurprise: (problem: string) => void,
  ) {}

  /** Sends a request as soon as few enough are waiting. */
  async send(bytes: Buffer, isHead: boolean, settle: Waiting['settle']): Promise<void> {
    await this.fewerThan(DEPTH);
    this.waiting.push({ bytes, isHead, settle });
    this.socket ??= this.open();
    this.socket.write(bytes);
  }

  /** Waits for all answers, and leaves the connection. */
  async end(): Promise<void> {
    await this.fewerThan(1);
    this.socket?.destroy();
    this.socket = undefined;
  }

  private async fewerThan(count: number): Promise<void> {
    while (this.waiting.length >= count) await new Promise<void>((resolve) => (this.onProgress = resolve));
  }

  private open(): Socket {
    const socket = connect(this.port, '127.0.0.1').setNoDelay().setTimeout(PATIENCE_MS);
    socket.on('timeout', () => this.waiting.length > 0 && socket.destroy());
    socket.on('data', (chunk) => this.take(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.socket === socket) this.abandon();
    });
    return socket;
  }

  private take(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    try {
      for (let [first] = this.waiting; first !== undefined; [first] = this.waiting) {
        const taken = takeAnswer(this.received, first.isHead);
        if (taken === undefined) return;
        this.received = taken.rest;
        this.waiting.shift();
        this.answered = first.bytes;
        first.settle(taken.answer);
        this.onProgress();
      }
      if (this.received.length > 0) throw new Error('There is an answer that nobody waits for.');
    } catch (error) {
      this.onSurprise(`${String(error)} ${JSON.stringify(this.received.toString('latin1', 0, 500))}`);
      this.socket?.destroy();
    }
  }

  private abandon(): void {
    this.socket = undefined;
    this.received = Buffer.alloc(0);
    const behind = JSON.stringify(this.answered.toString('latin1', 0, 1_000));
    for (const { settle } of this.waiting.splice(0)) {
      settle(`the connection is closed without an answer, behind that to ${behind}`);
    }
    this.onProgress();
  }
}
