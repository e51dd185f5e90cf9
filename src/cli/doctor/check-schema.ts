import type { DataSource, Migration } from 'typeorm';
import { type Finding, ok, problem, warning } from './finding.js';

/** Whether the schema is that of this version, by the migrations that were executed. */
export function checkSchema({ migrations }: DataSource, executed: readonly Migration[]): Finding {
  const [known, done] = [new Set(migrations.map(nameOf)), new Set(executed.map(nameOf))];
  const [unknown] = done.difference(known);
  if (unknown !== undefined)
    return problem(
      'schema',
      `A newer version of plant-store wrote the database: it has the migration ${unknown}.`,
      'Run that version, or restore a backup from before the upgrade.',
    );
  const pending = [...known.difference(done)];
  if (pending.length === 0) return ok('schema', `All ${known.size} migrations are in.`);
  const advice = 'Make a backup; the next start of this version runs them.';
  return warning('schema', `Migrations are pending: ${pending.join(', ')}.`, advice);
}

function nameOf({ name }: { readonly name?: string }): string {
  return name ?? '';
}
