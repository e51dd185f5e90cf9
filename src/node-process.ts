import { createRequire } from 'node:module';

/** How Node.js runs the service: docs/performance.md tells what each flag and variable is for. */
export const SERVICE_FLAGS = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=20',
  '--initial-old-space-size=48',
  '--no-allocation-site-pretenuring',
];
export const SERVICE_VARIABLES = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };

/**
 * Restarts the program with these flags and variables, and makes its new files private to its user. Ends the process if Node.js is
 * older than package.json allows.
 *
 * V8 sizes its heap and glibc reads its variables before any of this runs. So the program takes the place of this one
 * (`execve`), and the process keeps its id.
 */
export function prepareProcess(flags: readonly string[], variables: NodeJS.ProcessEnv = {}): void {
  requireNode();
  process.umask(0o077);
  const isPrepared = flags.every((flag) => process.execArgv.includes(flag));
  // Windows has no execve, and a channel to the parent process (`fork`) would be lost.
  if (isPrepared || process.platform === 'win32' || process.channel) return;
  const command = [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)];
  process.execve?.(process.execPath, command, { ...variables, ...process.env });
}

function requireNode(): void {
  const { engines } = createRequire(import.meta.url)('../../package.json') as { engines: { node: string } };
  const oldest = engines.node.replace('>=', '');
  if (Number.parseInt(process.versions.node, 10) >= Number(oldest)) return;
  process.stderr.write(
    `plant-store needs Node.js ${oldest} or newer, and this is ${process.versions.node}. ` +
      'The scripts of npm use the one that `npm ci` installs.\n',
  );
  process.exit(1);
}
