import type { PostgresSettings } from './settings.js';

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** The same database at another server. */
export function at({ host, port }: ServerAddress, settings: PostgresSettings): PostgresSettings {
  const url = new URL(settings.urls[0] ?? '');
  url.host = `${host}:${port}`;
  // A host in the query would win.
  url.searchParams.delete('host');
  url.searchParams.delete('port');
  return { ...settings, urls: [url.href] };
}
