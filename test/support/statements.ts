import { DataSource } from 'typeorm';
import { vi } from 'vitest';
import type { Answer, Service } from './service.js';

type Parameter = string | number | bigint | null;

/** A statement with its parameters. */
export interface Statement {
  readonly sql: string;
  readonly parameters: Parameter[];
}

/** The statements, on whatever table, that the service really executes for requests, which have to succeed. */
export async function statementsOf(
  service: Service,
  send: () => Promise<Answer | Answer[]>,
): Promise<Statement[]> {
  const log = vi.spyOn(service.app.get(DataSource).logger, 'logQuery');
  for (const { status, text } of [await send()].flat())
    if (status >= 300) throw new Error(`The answer was ${status}: ${text}`);
  const statements = log.mock.calls.map(([sql, parameters = []]) => ({
    sql,
    parameters: parameters as Parameter[],
  }));
  log.mockRestore();
  return statements;
}

/** Lets another instance write, by `sql`, just before the first statement that begins like this; returns whether it has. */
export function overtake({ app, database }: Service, statement: string, sql: string): () => boolean {
  const dataSource = app.get(DataSource);
  const query = dataSource.query.bind(dataSource);
  let isOvertaken = false;
  vi.spyOn(dataSource, 'query').mockImplementation(async (...args) => {
    const isFirst = !isOvertaken && args[0].startsWith(statement);
    isOvertaken ||= isFirst;
    if (isFirst) await database.execute(sql);
    return query(...args);
  });
  return () => isOvertaken;
}
