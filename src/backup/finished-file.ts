import { createHash } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** What is known of a file that is in its place. */
export interface FinishedFile {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Makes a file under another name in its folder, and gives it its name when it is finished and on disk.
 *
 * Whatever happens, `file` is as it was or as `make` has made it.
 */
export async function finishFile(
  file: string,
  make: (partial: string) => Promise<void>,
): Promise<FinishedFile> {
  const partial = `${file}.${process.pid}.partial`;
  try {
    await make(partial);
    await sync(partial);
    const sha256 = createHash('sha256');
    await pipeline(createReadStream(partial), sha256);
    const { size } = await stat(partial);
    await rename(partial, file);
    await syncFolder(file);
    return { file, bytes: size, sha256: sha256.digest('hex') };
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(partial + suffix, { force: true });
  }
}

/** Puts on disk which files the folder of a file has. */
export async function syncFolder(file: string): Promise<void> {
  // Windows has no such thing.
  if (process.platform !== 'win32') await sync(dirname(file), 'r');
}

async function sync(path: string, flags = 'r+'): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
