/**
 * `npm run bench`: measures the figures of docs/performance.md and prints them as Markdown.
 *
 * `npm run bench -- growth` measures one part. `--write` also writes it into the document, between the comment that names the part and
 * the next comment. `--against ../other` compares the service with that of another checkout instead, and fails if it is worse. Needs
 * Linux with two cores and `taskset`, and 8 GB for temporary files.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { compareWith, compareWithLimit } from './comparisons.js';
import { Databases } from './databases.js';
import { measureGrowth } from './growth.js';
import { bind, LOAD_CORE, machine } from './machine.js';
import { measureProfile } from './profile.js';
import { ROOT } from './servers.js';

const DOCUMENT = join(ROOT, 'docs', 'performance.md');

const PARTS = { limit: compareWithLimit, growth: measureGrowth, profile: measureProfile };

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false }, against: { type: 'string' } },
});

bind(process.pid, LOAD_CORE);
const databases = new Databases();
try {
  if (options.against === undefined) await measureParts();
  else process.stdout.write(`${await compareWith(options.against, databases)}\n`);
} finally {
  await databases.remove();
}

async function measureParts(): Promise<void> {
  for (const [name, measure] of Object.entries(PARTS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const startedAt = performance.now();
    const table = await measure(databases);
    const minutes = Math.ceil((performance.now() - startedAt) / 60_000);
    const date = new Date().toISOString().slice(0, 10);
    const text = `\`npm run bench -- ${name}\`, ${date}, ${minutes} min, ${machine}.\n\n${table}`;
    process.stdout.write(`${text}\n`);
    if (options.write) await write(name, text);
  }
}

/** Replaces what the document has between the comment of a part and the next comment. */
async function write(name: string, text: string): Promise<void> {
  const start = `<!-- bench: ${name} -->\n`;
  const [before, after] = readFileSync(DOCUMENT, 'utf8').split(start);
  if (before === undefined || after === undefined) throw new Error(`${DOCUMENT} has no ${start}`);
  const rest = after.slice(after.indexOf('<!-- bench: end -->'));
  const config = await resolveConfig(DOCUMENT);
  const changed = `${before}${start}\n${text}\n\n${rest}`;
  writeFileSync(DOCUMENT, await format(changed, { ...config, filepath: DOCUMENT }));
}
