#!/usr/bin/env node
import { loadEnvironment } from '../config/load-environment.js';
import { prepareProcess } from '../config/node-process.js';

prepareProcess();
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
