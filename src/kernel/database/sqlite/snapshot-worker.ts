// The code of the thread that reads snapshots. It imports no other file, because the tests run it as TypeScript.
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/** A statement on a snapshot. The first one begins the snapshot; a message without a text ends it. */
export interface SnapshotRequest {
  readonly snapshot: number;
  readonly text?: string;
  readonly parameters?: readonly unknown[];
}

/** The rows of a statement, or its error. */
export interface SnapshotResponse {
  readonly rows: unknown[];
  readonly failure?: { readonly message: string; readonly code: string };
}

const snapshots = new Map<number, Database.Database>();

parentPort?.on('message', (request: SnapshotRequest) => {
  let response: SnapshotResponse = { rows: [] };
  try {
    response = { rows: read(request) };
  } catch (error) {
    const { message, code = '' } = error as NodeJS.ErrnoException;
    response = { rows: [], failure: { message, code } };
  }
  parentPort?.postMessage(response);
});

function read({ snapshot, text, parameters = [] }: SnapshotRequest): unknown[] {
  if (text === undefined) {
    snapshots.get(snapshot)?.close();
    snapshots.delete(snapshot);
    return [];
  }
  const connection = snapshots.get(snapshot) ?? open();
  snapshots.set(snapshot, connection);
  return connection
    .prepare(text)
    .safeIntegers()
    .all(...parameters);
}

function open(): Database.Database {
  const connection = new Database(workerData as string, { readonly: true });
  connection.exec('BEGIN');
  return connection;
}
