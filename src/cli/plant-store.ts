#!/usr/bin/env node
import { loadEnvironment } from '../config/load-environment.js';
import { prepareProcess } from '../node-process.js';

// They bound the memory of an import.
prepareProcess(['--max-semi-space-size=16', '--heap-growing-percent=60']);
// Loaded after the check: an older Node.js fails on the first import that it does not know.
const { runCommand } = await import('./run-command.js');
const { argv, stdin, stdout, stderr } = process;
process.exitCode = await runCommand(argv.slice(2), {
  stdin,
  stdout,
  stderr,
  get env() {
    return loadEnvironment();
  },
});
