import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

// Takes each feature out of a copy of the project, and prints what else had to be edited. The copy has to compile, to pass the
// linter, and to start, create a plant and list it. The tests of other folders may use the feature: only the sources are checked.

/** Files that name features: the list of modules, and the module of a resource. */
const NAMED_IN = ['src/features.ts', 'src/plants/plants.module.ts'];

/** How many files and lines outside of its folders a feature may need. */
const MOST_FILES = 2;
const MOST_LINES = 4;

const TOKEN = 'a-token-that-checks-the-features';
const START_TIMEOUT_MS = 60_000;
const PARALLEL = 2;

const run = promisify(execFile);
const work = mkdtempSync(join(tmpdir(), 'features-'));
const whole = join(work, 'whole');

interface Result {
  readonly feature: string;
  readonly edited: ReadonlyMap<string, number>;
  /** What has failed, by the name of the check. */
  readonly failures: ReadonlyMap<string, string>;
}

try {
  copyProject();
  await compile(whole);
  const features = readdirSync('src/features').toSorted();
  const waiting = features.values();
  const results: Result[] = [];
  const takeOutNext = async () => {
    for (const feature of waiting) results.push(await takeOut(feature));
  };
  await Promise.all(Array.from({ length: PARALLEL }, takeOutNext));
  report(results.toSorted((a, b) => features.indexOf(a.feature) - features.indexOf(b.feature)));
} finally {
  rmSync(work, { recursive: true });
}

/** What Git knows, or would. */
function copyProject(): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  for (const path of String(listed).split('\0').filter(existsSync)) cpSync(path, join(whole, path));
  symlinkSync(resolve('node_modules'), join(whole, 'node_modules'));
}

/** Takes a feature out, with the features that import it. */
async function takeOut(feature: string): Promise<Result> {
  const folder = join(work, feature);
  cpSync(whole, folder, { recursive: true, verbatimSymlinks: true });
  const edited = new Map<string, number>();
  for (const taken of withDependants(feature)) {
    for (const path of [`src/features/${taken}`, `test/features/${taken}`, `dist/src/features/${taken}`])
      rmSync(join(folder, path), { recursive: true, force: true });
    // A feature that goes with this one has lines of its own.
    for (const path of NAMED_IN) {
      const lines = removeLines(taken, join(folder, path));
      if (taken === feature && lines > 0) edited.set(path, lines);
    }
  }
  const failures = new Map<string, string>();
  const attempt = (name: string, checking: Promise<unknown>) =>
    checking.catch((error: Error & { readonly stdout?: string }) =>
      failures.set(name, error.stdout || error.message),
    );
  await attempt('tsc', compile(folder));
  await attempt('lint', run('oxlint', ['--type-aware', '--deny-warnings', 'src'], { cwd: folder }));
  if (failures.has('tsc')) failures.set('start', 'It does not compile.');
  else await attempt('start', use(folder));
  rmSync(folder, { recursive: true });
  return { feature, edited, failures };
}

/** A feature and those that import it, which the linter allows where they declare it. */
function withDependants(feature: string): string[] {
  const importing = readdirSync('src/features').filter((other) =>
    readdirSync(`src/features/${other}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .some((name) => readFileSync(`src/features/${other}/${name}`, 'utf8').includes(`'../${feature}/`)),
  );
  return [...new Set([feature, ...importing.flatMap(withDependants)])];
}

/** Removes the imports of a feature from a file, and each use of what they import; returns how many lines that changes. */
function removeLines(feature: string, path: string): number {
  const before = readFileSync(path, 'utf8');
  const names: string[] = [];
  let after = before.replaceAll(
    /^(?:import|export) (?:type )?\{([^}]*)\} from '([^']*)';\n/gm,
    (line, imported: string, from: string) => {
      if (!from.includes(`features/${feature}/`)) return line;
      names.push(...imported.split(',').map((name) => name.trim().replace('type ', '')));
      return '';
    },
  );
  for (const name of names.filter(Boolean)) {
    const pattern = new RegExp(String.raw`\b${name}\b`);
    for (let found = pattern.exec(after); found !== null; found = pattern.exec(after))
      after = withoutItem(after, found.index);
  }
  // What only the uses needed, such as the DTOs of a search.
  after = after.replaceAll(/^import \{([^}]*)\} from '[^']*';\n/gm, (line, imported: string) => {
    const isUsed = imported
      .split(',')
      .some((name) => after.split(new RegExp(String.raw`\b${name.trim()}\b`)).length > 2);
    return isUsed ? line : '';
  });
  writeFileSync(path, after);
  const kept = after.split('\n');
  return before.split('\n').filter((line) => !kept.includes(line)).length;
}

/** Removes the item of a list that begins here, up to its comma or to the end of the list. */
function withoutItem(text: string, start: number): string {
  let end = start;
  for (let depth = 0; depth > 0 || !/[,\])}]/.test(text[end] ?? ']'); end += 1) {
    if ('([{'.includes(text[end] ?? '')) depth += 1;
    if (')]}'.includes(text[end] ?? '')) depth -= 1;
  }
  const [separator = ''] = /^,[ \n]*/.exec(text.slice(end)) ?? [];
  return text.slice(0, start) + text.slice(end + separator.length);
}

/** Only what has changed, after the first time. */
async function compile(folder: string): Promise<void> {
  mkdirSync(join(folder, 'dist'), { recursive: true });
  await run('tsc', ['-p', 'tsconfig.build.json', '--tsBuildInfoFile', 'dist/build.tsbuildinfo'], {
    cwd: folder,
  });
}

/** Starts the built service, creates a plant, and finds it in the list. */
async function use(folder: string): Promise<void> {
  const service = spawn(process.execPath, ['dist/src/main.js'], {
    cwd: folder,
    env: {
      PATH: dirname(process.execPath),
      PORT: '0',
      DATABASE_URL: 'sqlite:plant-store.db',
      BOOTSTRAP_TOKEN: TOKEN,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: START_TIMEOUT_MS,
  });
  const exit = once(service, 'exit');
  try {
    const address = `http://127.0.0.1:${await portOf(service)}/plants`;
    const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ id: 1, name: 'Aloe vera' });
    const created = await fetch(address, { method: 'POST', headers, body });
    const listed = await (await fetch(address, { headers })).text();
    if (!created.ok || listed !== `[${body}]`)
      throw new Error(`The create returns ${created.status}, the list ${listed}.`);
  } finally {
    service.kill('SIGTERM');
    await exit;
  }
}

async function portOf({ stdout, stderr }: ChildProcess): Promise<string> {
  let output = '';
  stderr?.on('data', (text) => (output += String(text)));
  if (stdout === null) throw new Error('The service has no output.');
  for await (const line of createInterface(stdout)) {
    output += `${line}\n`;
    const [, port] = /Listening on \S+ port (\d+)/.exec(line) ?? [];
    if (port !== undefined) {
      stdout.resume();
      return port;
    }
  }
  throw new Error(output);
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}

function report(results: readonly Result[]): void {
  const rows = results.map(({ feature, edited, failures }) => {
    const others = withDependants(feature).slice(1);
    const name = others.length === 0 ? feature : `${feature} (with ${others.join(', ')})`;
    const states = ['tsc', 'lint', 'start'].map((check) => (failures.has(check) ? 'fails' : 'ok'));
    return `| ${[name, edited.size, sum(edited.values()), ...states].join(' | ')} |`;
  });
  const head = [
    '| feature | files edited | lines edited | tsc | lint | start |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  process.stdout.write(`${[...head, ...rows].join('\n')}\n`);
  for (const { feature, edited, failures } of results) {
    for (const [name, reason] of failures) process.stderr.write(`\n${feature}: ${name} fails.\n${reason}\n`);
    const isTooMuch = edited.size > MOST_FILES || sum(edited.values()) > MOST_LINES;
    if (isTooMuch)
      process.stderr.write(`\n${feature} needs more than ${MOST_FILES} files or ${MOST_LINES} lines.\n`);
    if (isTooMuch || failures.size > 0) process.exitCode = 1;
  }
}
