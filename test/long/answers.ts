/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number;
  /** The status line and the headers. */
  readonly head: string;
  readonly body: Buffer;
}

/** The value of a header of an answer. */
export function headerOf({ head }: Answer, name: string): string | undefined {
  return new RegExp(`\r\n${name}: ?([^\r]*)`, 'i').exec(head)?.[1];
}

/**
 * The answer that some bytes begin with, and what is behind it; undefined as long as it is not whole. Interim answers are left out.
 *
 * @param isHead whether the request was a HEAD.
 * @throws Error when the bytes are no answer.
 */
export function takeAnswer(bytes: Buffer, isHead: boolean): { answer: Answer; rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const [, code] = /^HTTP\/1\.1 (\d{3}) [\t -~]*(?:\r\n[!-9;-~]+:[\t -~\x80-\xff]*)*$/.exec(head) ?? [];
  if (code === undefined) throw new Error(`This is no answer: ${JSON.stringify(head.slice(0, 500))}`);
  const status = Number(code);
  const behind = bytes.subarray(end + 4);
  if (status < 200) return takeAnswer(behind, isHead);
  const body =
    isHead || status === 204 || status === 304 ? { content: EMPTY, rest: behind } : takeBody(head, behind);
  return body && { answer: { status, head, body: body.content }, rest: body.rest };
}

/** What is wrong with an answer, whatever was asked; undefined when nothing is. */
export function problemOf(
  { status, head, body }: Answer,
  isCreate: boolean,
  isHead: boolean,
): string | undefined {
  if (status < 400 || isHead) return status < 500 || status === 503 ? undefined : `${status} is answered`;
  if (!/\r\ncontent-type: application\/json(\r\n|$)/i.test(head)) return 'the answer is not JSON';
  let record: unknown;
  try {
    record = JSON.parse(body.toString());
  } catch {
    return 'the body of the answer is not JSON';
  }
  const { error, message } = record as { error: unknown; message: unknown };
  if (typeof error !== 'number' || !Number.isInteger(error) || error >= 2 ** 31) return 'error is no int32';
  if (typeof message !== 'string' || message === '') return 'message is no text';
  if (error === 50000) return '50000 is answered';
  const implied = isCreate && error === 40900 ? 400 : Math.floor(error / 100);
  return status === implied ? undefined : `the status does not agree with ${error}`;
}

/** The value in the body of an answer that is an Error. */
export function errorOf({ body }: Answer): number {
  return (JSON.parse(body.toString()) as { error: number }).error;
}

const EMPTY = Buffer.alloc(0);

function takeBody(head: string, bytes: Buffer): { content: Buffer; rest: Buffer } | undefined {
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
  if (length !== undefined) {
    const size = Number(length);
    return bytes.length < size ? undefined : { content: bytes.subarray(0, size), rest: bytes.subarray(size) };
  }
  if (!/\r\ntransfer-encoding: chunked/i.test(head))
    throw new Error(`The answer has no length: ${JSON.stringify(head)}`);
  const chunks: Buffer[] = [];
  for (let start = 0; ;) {
    const end = bytes.indexOf('\r\n', start);
    if (end === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', start, end), 16);
    const next = end + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return { content: Buffer.concat(chunks), rest: bytes.subarray(next) };
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    start = next;
  }
}
