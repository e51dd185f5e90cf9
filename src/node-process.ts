import { createRequire } from 'node:module';

/** How Node.js runs the service: docs/performance.md tells what each flag and variable is for. */
export const SERVICE_PROCESS = {
  flags: [
    '--max-semi-space-size=16',
    '--heap-growing-percent=20',
    '--initial-old-space-size=48',
    '--no-allocation-site-pretenuring',
  ],
  environment: { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' },
};

/** How it runs the command line: the flags bound the memory of an import. */
export const COMMAND_PROCESS = {
  flags: ['--max-semi-space-size=16', '--heap-growing-percent=60'],
  environment: {},
};

/**
 * Gives this process its flags and variables, whoever started it; ends it on a Node.js that is older than package.json allows.
 *
 * A heap takes its flags when it is made, and glibc reads its variables at start: so the process starts the program again in
 * its own place (`execve`), and keeps its id. Windows has no such call.
 */
export function prepareProcess({ flags, environment }: typeof COMMAND_PROCESS): void {
  requireNode();
  const isPrepared = flags.every((flag) => process.execArgv.includes(flag));
  // The channel to a parent that exchanges messages would be lost.
  if (isPrepared || process.platform === 'win32' || process.channel) return;
  const command = [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)];
  process.execve?.(process.execPath, command, { ...environment, ...process.env });
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
