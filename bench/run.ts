/**
 * `npm run bench`: measures the figures of docs/performance.md and docs/scaling.md, and prints them as Markdown.
 *
 * `npm run bench -- growth` measures a part of them. `--write` also writes them into the documents, each part between a comment that
 * names it and the next comment, with the date and the machine. All parts take an hour. Needs Linux with two cores, `wrk` and
 * `taskset`, and 8 GB on the disk of the folder for temporary files.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { Databases } from './databases.js';
import { measureGrowth } from './parts/growth.js';
import { measureInstances } from './parts/instances.js';
import { compareWithLimit } from './parts/limit.js';
import { ALL_CORES, LOAD_CORE, machine } from './machine.js';
import { measureProfile } from './parts/profile.js';
import { measureSearches } from './parts/searches.js';
import { ROOT } from './servers.js';

interface Part {
  readonly measure: (databases: Databases) => Promise<string>;
  readonly document: string;
  /** That PostgreSQL may use; SQLite runs where the service runs. */
  readonly cores?: string;
}

const PARTS: Readonly<Record<string, Part>> = {
  limit: { measure: compareWithLimit, document: 'docs/performance.md' },
  growth: { measure: measureGrowth, document: 'docs/performance.md' },
  searches: { measure: measureSearches, document: 'docs/performance.md' },
  profile: { measure: measureProfile, document: 'docs/performance.md', cores: LOAD_CORE },
  instances: { measure: measureInstances, document: 'docs/scaling.md' },
};

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
});

for (const [name, part] of Object.entries(PARTS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const text = await measure(name, part);
  process.stdout.write(`${text}\n`);
  if (options.write) await write(name, part, text);
}

async function measure(name: string, part: Part): Promise<string> {
  const startedAt = performance.now();
  const databases = new Databases(part.cores ?? ALL_CORES);
  try {
    const text = await part.measure(databases);
    const minutes = Math.ceil((performance.now() - startedAt) / 60_000);
    const date = new Date().toISOString().slice(0, 10);
    return `\`npm run bench -- ${name}\`, ${date}, ${minutes} min, ${machine}.\n\n${text}`;
  } finally {
    await databases.remove();
  }
}

/** Replaces what the document has between the comment of a part and the next comment. */
async function write(name: string, { document }: Part, text: string): Promise<void> {
  const path = join(ROOT, document);
  const [before, after] = readFileSync(path, 'utf8').split(`<!-- bench: ${name} -->\n`);
  if (before === undefined || after === undefined) throw new Error(`${document} has no place for ${name}.`);
  const rest = after.slice(after.indexOf('<!-- bench: end -->'));
  const changed = `${before}<!-- bench: ${name} -->\n\n${text}\n\n${rest}`;
  writeFileSync(path, await format(changed, { ...(await resolveConfig(path)), filepath: path }));
}
