import { statSync } from 'node:fs';

/** A SQLite file and what it has beside it. */
const PARTS = ['', '-wal', '-shm', '-journal', '-lock', '-marks'];

/** Whether a file is the SQLite file at `path` or one that belongs to it, perhaps under another name. */
export function isPartOfStore(file: string, path: string): boolean {
  const found = identityOf(file);
  return PARTS.map((suffix) => path + suffix).some(
    (part) => file === part || (found !== undefined && found === identityOf(part)),
  );
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}
