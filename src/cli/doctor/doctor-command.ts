import type { Command } from 'commander';
import { formatTable } from '../format-table.js';
import type { Terminal } from '../terminal.js';
import { examine } from './examine.js';
import type { Finding } from './finding.js';

interface Options {
  readonly deep?: true;
  readonly strict?: true;
  readonly json?: true;
}

/** `plant-store doctor`: says what is wrong with the settings, the database and the tokens, and changes nothing. */
export function addDoctorCommand(program: Command, terminal: Terminal): void {
  program
    .command('doctor')
    .description('Check settings, database, disk, clock and tokens, and advise; changes nothing.')
    .option('--deep', 'read the whole database for damage, which takes long')
    .option('--strict', 'fail on warnings, too')
    .option('--json', 'write JSON')
    .action(async ({ deep, strict, json }: Options) => {
      const findings = await examine(terminal.env, deep === true);
      const text = json ? JSON.stringify(findings, null, 2) : formatTable(COLUMNS, findings.map(row));
      terminal.stdout.write(`${text}\n`);
      const failures = findings.filter(({ state }) => state === 'problem' || (strict && state === 'warning'));
      if (failures.length > 0) throw new Error(`${failures.length} of ${findings.length} checks failed.`);
    });
}

const COLUMNS = ['STATE', 'CHECK', 'FINDING'];

function row({ state, check, message, advice }: Finding): string[] {
  return [state, check, advice === undefined ? message : `${message} ${advice}`];
}
