import { readFileSync } from 'node:fs';
import { vi } from 'vitest';
import { curlRequest } from './curl.js';
import type { RunningProcess } from '../running-process.js';

/** The request of the command that the first start prints, with the token from its file. */
export async function printedCurl(service: RunningProcess): Promise<{ url: string; init: RequestInit }> {
  const [command] = await vi.waitUntil(() => /curl [^]*?'\n\n/.exec(service.stderr()));
  return curlRequest(
    command.replace(/\$\(cat '(.+)'\)/, (_, path: string) => readFileSync(path, 'utf8').trim()),
  );
}
