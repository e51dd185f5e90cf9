import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../../src/app.module.js';
import { Configuration, variablesOf } from '../../src/kernel/config/configuration.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LINE_LENGTH = 110;
/** What Compose does not just pass on: where a container can be reached, and where it keeps its plants. */
const VALUES_OF_COMPOSE: Readonly<Record<string, string>> = {
  HOST: '0.0.0.0',
  PORT: '${PORT:-3000}',
};
/** A variable of Node.js. */
const OTHERS = ['NODE_EXTRA_CA_CERTS'];

const VARIABLES = SETTINGS.flatMap((type) =>
  variablesOf(type).map(({ name, sentence, unset, isSecret }) => ({
    name,
    sentence,
    unset,
    isSecret,
    value: String(Reflect.get(new type(), name) ?? ''),
  })),
);

/** A comment and a commented-out assignment for each setting. */
function example(): string {
  const entries = VARIABLES.map(({ name, sentence, unset, value }) => {
    const text = unset === undefined ? sentence : `${sentence} Default: ${unset}.`;
    const plain = text.replaceAll(/\[(.+?)\]\(.+?\)/g, '$1').replaceAll(/`(\S+)`/g, '$1');
    const comment = plain.replaceAll(new RegExp(`(.{1,${LINE_LENGTH}})(?: |$)`, 'g'), '# $1\n');
    return `${comment}#${name}=${value}\n`;
  });
  return entries.join('\n');
}

async function table(): Promise<string> {
  const rows = VARIABLES.map(
    ({ name, sentence, unset, value }) =>
      `| \`${name}\` | ${value === '' ? (unset ?? 'none') : `\`${value}\``} | ${sentence} |`,
  );
  const text = ['| variable | default | |', '| --- | --- | --- |', ...rows].join('\n');
  return format(text, { ...(await resolveConfig(ROOT)), parser: 'markdown' });
}

function environment(): string {
  const secrets = VARIABLES.filter(({ isSecret }) => isSecret).map(({ name }) => `${name}_FILE`);
  const names = [...VARIABLES.map(({ name }) => name), ...secrets, ...OTHERS];
  return names.map((name) => `  ${name}: ${VALUES_OF_COMPOSE[name] ?? ''}`.trimEnd()).join('\n');
}

/** Values that the service starts with, of settings that are no numbers. */
const VALID: Readonly<Record<string, string>> = {
  HOST: '0.0.0.0',
  DATABASE_URL: 'sqlite:other.db',
  BOOTSTRAP_TOKEN: 'a-token-of-16-characters',
  BASE_URL: 'https://plants.example.org',
  CORS_ORIGINS: 'https://app.example.org',
  TRUSTED_PROXIES: 'loopback',
  LOG_LEVEL: 'debug',
  BACKUP_FOLDER: 'backups',
  BACKUP_INTERVAL: '6h',
  CHANGES_KEPT: '1d',
  OIDC_CLIENT_ID: 'console',
  OIDC_ISSUER: 'https://login.example.org',
  OIDC_AUDIENCE: 'plants',
  OIDC_TOKEN_TYPE: 'any',
  OIDC_KEYS_URL: 'http://keycloak:8080/certs',
  OIDC_SCOPES: 'groups=staff=plants:read',
  SEARCH: 'on',
  WEBHOOK_KEY: 'a-key-of-at-least-32-characters-or-more',
  WEBHOOK_ADDRESSES: '10.0.0.0/8',
};

/** `npm run generate:settings` writes the files, by Vitest's way of updating snapshots. */
describe('the settings of the kernel and of the features', () => {
  test.for(VARIABLES)('are read without blanks, and not in quotes: $name', ({ name }) => {
    const value = VALID[name] ?? '20';
    const read = (text: string) => new Configuration(SETTINGS, { ...VALID, [name]: text }).settings;

    for (const blank of ['\n', '\r\n', ' ', '\u00a0', '\ufeff'])
      expect(read(blank + value + blank)).toEqual(read(value));
    for (const quote of [`"`, `'`]) expect(() => read(quote + value + quote)).toThrow(`${name} must not be`);
  });

  test.for([
    ['.env.example', /(?<=^(?:#.*\n)+\n)[^]*?(?=\n# Only for)/, example],
    ['docs/configuration.md', /(?<=## Settings\n\n)[^]*?(?=\nNumbers are)/, table],
    ['docker-compose.yml', /(?<=^x-settings: &settings\n)[^]*?(?=\n\n)/m, environment],
  ] as const)('are those of %s', async ([path, section, generate]) => {
    const file = join(ROOT, path);
    const text = readFileSync(file, 'utf8');
    const generated = await generate();

    expect(text).toMatch(section);
    await expect(text.replace(section, () => generated)).toMatchFileSnapshot(file);
  });
});
