import { Command, CommanderError } from 'commander';
import { FEATURES, RESOURCES, SCHEMA_SERVER, SETTINGS } from '../../app.module.js';
import { serviceVersion } from '../config/service-version.js';
import { CommandLine, type Terminal } from './command-line.js';
import { addTokenCommands } from './token-commands.js';

const DONE = 0;
const FAILED = 1;
const NOT_UNDERSTOOD = 2;

/** Runs `plant-store` with these arguments, and returns its exit code. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = new Command('plant-store')
    .description(
      'Looks after the plant store whose database DATABASE_URL names, whether or not it is running.',
    )
    .addHelpText('after', `\nExit codes: ${DONE} done, ${FAILED} failed, ${NOT_UNDERSTOOD} not understood.`)
    .version(serviceVersion(), '--version')
    .showHelpAfterError('Add --help to see what is possible.')
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .exitOverride();
  const commandLine = new CommandLine(
    terminal,
    SETTINGS,
    RESOURCES,
    FEATURES.filter(({ placesRows }) => placesRows),
    SCHEMA_SERVER,
  );
  addTokenCommands(program, commandLine);
  for (const feature of FEATURES) feature.addCommands?.(program, commandLine);
  try {
    await program.parseAsync(args, { from: 'user' });
    return DONE;
  } catch (error) {
    // Commander has printed its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : NOT_UNDERSTOOD;
    terminal.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return FAILED;
  }
}
