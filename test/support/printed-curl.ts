import { vi } from 'vitest';
import type { RunningProcess } from './running-process.js';

/** The request of the command that the first start prints. */
export async function printedCurl(service: RunningProcess): Promise<{ url: string; init: RequestInit }> {
  const [command] = await vi.waitUntil(() => /curl [^]*?'\n\n/.exec(service.stderr()));
  const [, url = ''] = /curl (\S+)/.exec(command) ?? [];
  const headers = [...command.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [
    name ?? '',
    value ?? '',
  ]);
  const [, body = ''] = /-d '([^']+)'/.exec(command) ?? [];
  return { url, init: { method: 'POST', headers: Object.fromEntries(headers), body } };
}
