import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of the service, from its package.json. */
export function serviceVersion(): string {
  const file = findPackageJSON(import.meta.url) ?? '';
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
