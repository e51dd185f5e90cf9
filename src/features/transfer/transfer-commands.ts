import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { CommandLine } from '../../kernel/cli/command-line.js';
import { ErrorValue } from '../../kernel/errors/error-value.js';
import { exportLines, importLines } from './transfers.js';

interface ExportOptions {
  readonly of: string;
  readonly output?: string;
}

/** `plant-store export` and `import`: plants as one JSON object a line (NDJSON). */
export function addTransferCommands(program: Command, commandLine: CommandLine): void {
  program
    .command('export')
    .description('Write every plant as a line of JSON, in ascending id, as the store is at this moment.')
    .addOption(commandLine.resourceOption())
    .option('--output <file>', 'write to a file (default: standard output)')
    .action((options: ExportOptions) => exportAll(options, commandLine));
  program
    .command('import')
    .description(
      'Store the plants of a file, one JSON object a line. An import may be repeated: plants that are there already count as stored.',
    )
    .addOption(commandLine.resourceOption())
    .argument('[file]', 'the file (default: standard input)')
    .action((path: string | undefined, { of }: { readonly of: string }) => importAll(path, of, commandLine));
}

async function exportAll({ of, output }: ExportOptions, commandLine: CommandLine): Promise<void> {
  const { stdout, stderr } = commandLine.terminal;
  await commandLine.withCollection('existing', of, async (collection) => {
    let count = 0;
    const lines = async function* () {
      for await (const text of exportLines(collection)) {
        yield text;
        count += text.split('\n').length - 1;
      }
    };
    const target = output === undefined ? stdout : createWriteStream(output);
    await pipeline(lines, target, { end: output !== undefined });
    // Standard output is for the lines.
    stderr.write(`Exported ${count} ${of}.\n`);
  });
}

async function importAll(path: string | undefined, of: string, commandLine: CommandLine): Promise<void> {
  const { stdin, stderr } = commandLine.terminal;
  await commandLine.withCollection('new', of, async (collection) => {
    const source: AsyncIterable<Buffer> = path === undefined ? stdin : createReadStream(path);
    let [stored, refused] = [0, 0];
    for await (const results of importLines(collection, source, collection.resource.dto))
      for (const { line, error, message } of results) {
        if (error === ErrorValue.Unavailable)
          throw new Error(`Line ${line}: ${message} Repeat the import: what is stored counts as imported.`);
        if (error === undefined) stored += 1;
        else {
          refused += 1;
          stderr.write(`Line ${line}: ${message}\n`);
        }
      }
    const lines = refused === 1 ? 'line was' : 'lines were';
    stderr.write(`Imported ${stored} ${of}; ${refused} ${lines} refused.\n`);
    if (refused > 0) throw new Error('Not every line could be imported.');
  });
}
