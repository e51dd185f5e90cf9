#!/usr/bin/env -S node --max-semi-space-size=16 --heap-growing-percent=60
// The flags bound the memory of an import; `npm run plant-store` has the same.
import { Command, CommanderError } from 'commander';
import { addTokenCommands } from './token-commands.js';
import { addTransferCommands } from './transfer-commands.js';

const FAILED = 1;
const NOT_UNDERSTOOD = 2;

const program = new Command('plant-store')
  .description('Looks after the plant store whose database DATABASE_URL names, whether or not it is running.')
  .addHelpText('after', `\nExit codes: 0 done, ${FAILED} failed, ${NOT_UNDERSTOOD} not understood.`)
  .showHelpAfterError('Add --help to see what is possible.')
  .exitOverride();
addTokenCommands(program);
addTransferCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  // Commander has already written what it has to say.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : NOT_UNDERSTOOD;
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return FAILED;
}
