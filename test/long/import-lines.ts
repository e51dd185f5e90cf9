import type { Answer } from './answers.js';
import { plantText } from './plant-texts.js';
import type { Run } from './run.js';
import type { Expected } from './store-model.js';

/** Lines of one import at most. */
const MAX_LINES = 5_000;

/** All imports go over one connection: those that run beside each other would race for ids. */
const KEY = 0;

/** Imports hostile lines, thousands at a time. */
export async function importLines(run: Run, indices: readonly number[]): Promise<void> {
  for (let start = 0; start < indices.length;) {
    const random = run.random(indices[start] as number);
    const own = indices.slice(start, start + random.between(1, random.once(5) ? 3 : MAX_LINES));
    start += own.length;
    const lines = own.flatMap((index) => {
      const line = run.random(index);
      return [plantText(line, 'new plant'), Buffer.from(line.pick(ENDS))];
    });
    const body = Buffer.concat(random.once(2) ? lines : lines.slice(0, -1));
    const expected = run.model.import(body);
    const path = '/plants/import';
    const headers = ['Content-Type: application/x-ndjson'];
    const index = own[0] as number;
    await run.send({ index, method: 'POST', path, headers, body }, KEY, (answer) => {
      if (answer.status !== 200) return '200 is expected';
      return judgeLines(run, index, body, expected, answer);
    });
  }
  await run.settled();
}

const ENDS = ['\n', '\n', '\n', '\n', '\n', '\n', '\r\n', '\n\n', '\n\r\n'];

/** Compares the lines of an answer with those that are expected, and reports each that is wrong. */
function judgeLines(
  run: Run,
  index: number,
  body: Buffer,
  expected: ReadonlyMap<number, Expected>,
  answer: Answer,
): string | undefined {
  const results = answer.body.toString().split('\n');
  if (results.pop() !== '') return 'the last line has no end';
  if (results.length !== expected.size) return `${expected.size} lines are expected`;
  let lines: string[] | undefined;
  for (const [place, [number, { status, error }]] of [...expected].entries()) {
    const text = results[place] as string;
    const result = JSON.parse(text) as Record<string, unknown>;
    run.count(error ?? status);
    const hasMessage = typeof result['message'] === 'string' && result['message'] !== '';
    const { line, status: given, error: value } = result;
    if (line === number && given === status && value === error && hasMessage === (error !== undefined))
      continue;
    lines ??= body.toString('latin1').split('\n');
    const sent = Buffer.from(lines[number - 1] ?? '', 'latin1');
    run.report(index, sent, `line ${number} is answered ${text} instead of ${status} ${error ?? ''}`);
  }
  return undefined;
}
