import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { linesOf } from '../ndjson/lines.js';
import { importPlants } from '../plants/import-plants.js';
import { Plant } from '../plants/plant.entity.js';
import { formatPlantLine } from '../plants/plant-lines.js';
import { readPlants } from '../plants/read-plants.js';
import { startProgress } from './progress.js';
import { withDataSource } from './with-data-source.js';

/** Bytes that are read at once: about a thousand plants, which are stored by one statement. */
const CHUNK_BYTES = 65_536;

interface ExportOptions {
  readonly output?: string;
  readonly after?: bigint;
}

interface ImportOptions {
  readonly fromLine: number;
}

/** `plant-store export` and `plant-store import`: move plants between stores, as one JSON object a line (NDJSON). */
export function addTransferCommands(program: Command): void {
  program
    .command('export')
    .description('Write every plant as a line of JSON, in ascending id, as the store is at this moment.')
    .option('--output <file>', 'write to a file (default: standard output)')
    .option('--after <id>', 'only plants with a greater id: goes on with an export that broke off', parseId)
    .action(exportAll);
  program
    .command('import')
    .description(
      'Store the plants of a file, one JSON object a line; plants that are there already are left alone.',
    )
    .argument('[file]', 'the file (default: standard input)')
    .option('--from-line <number>', 'skip what comes before this line', parseLineNumber, 1)
    .action(importAll);
}

async function exportAll({ output, after }: ExportOptions): Promise<void> {
  await withDataSource(async (dataSource) => {
    const file = output === undefined ? undefined : await open(output, 'w');
    const progress = startProgress(await dataSource.getRepository(Plant).count());
    let plants = 0;
    const lines = async function* () {
      for await (const rows of readPlants(dataSource, after)) {
        yield rows.map(formatPlantLine).join('');
        plants += rows.length;
        progress.update(plants, plants);
      }
    };
    try {
      if (file === undefined) await pipeline(lines, process.stdout, { end: false });
      else await pipeline(lines, file.createWriteStream());
    } catch (error) {
      throw new Error(`${reasonOf(error)} To go on, export --after the id of the last whole line.`, {
        cause: error,
      });
    } finally {
      progress.stop();
    }
    report(`Exported ${plants} plants.`);
  });
}

async function importAll(path: string | undefined, { fromLine }: ImportOptions): Promise<void> {
  await withDataSource(async (dataSource, { bodyLimit }) => {
    const file = path === undefined ? undefined : await open(path);
    const source = file?.createReadStream({ highWaterMark: CHUNK_BYTES }) ?? process.stdin;
    const progress = startProgress((await file?.stat())?.size);
    const plants = dataSource.getRepository(Plant);
    const total = { created: 0, unchanged: 0, refused: 0 };
    let bytes = 0;
    let nextLine = fromLine;
    let isInterrupted = false;
    process.once('SIGINT', () => (isInterrupted = true));
    try {
      const chunks = counted(source, (length) => (bytes += length));
      for await (const lines of linesOf(chunks, { limit: bodyLimit })) {
        const wanted = lines.filter(({ number }) => number >= fromLine);
        const { created, unchanged, refusals } = await importPlants(plants, wanted);
        for (const { line, reason } of refusals) report(`Line ${line}: ${reason}`);
        total.created += created;
        total.unchanged += unchanged;
        total.refused += refusals.length;
        nextLine = Math.max(nextLine, (lines.at(-1)?.number ?? 0) + 1);
        progress.update(bytes, total.created + total.unchanged);
        if (isInterrupted) throw new Error('Interrupted.');
      }
    } catch (error) {
      throw new Error(`${reasonOf(error)} ${countsOf(total)} Go on with --from-line ${nextLine}.`, {
        cause: error,
      });
    } finally {
      progress.stop();
    }
    report(countsOf(total));
    if (total.refused > 0) throw new Error('Not every line could be imported.');
  });
}

async function* counted(
  source: AsyncIterable<Buffer>,
  count: (length: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    count(chunk.length);
    yield chunk;
  }
}

function countsOf({
  created,
  unchanged,
  refused,
}: Record<'created' | 'unchanged' | 'refused', number>): string {
  return `Imported ${created} plants; ${unchanged} were there already; ${refused} lines were refused.`;
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.endsWith('.') ? message : `${message}.`;
}

/** Standard output belongs to the plants. */
function report(text: string): void {
  process.stderr.write(`${text}\n`);
}

function parseId(text: string): bigint {
  if (/^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) return BigInt(text);
  throw new InvalidArgumentError('It must be an id.');
}

function parseLineNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be the number of a line, from 1.');
}
