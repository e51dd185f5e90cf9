import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../../src/app.module.js';
import { variablesOf } from '../../src/config/configuration.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LINE_LENGTH = 110;
/** What Compose does not just pass on: where a container can be reached, and where it keeps its plants. */
const VALUES_OF_COMPOSE: Readonly<Record<string, string>> = {
  HOST: '0.0.0.0',
  PORT: '${PORT:-3000}',
  DATABASE_URL: '${DATABASE_URL:-sqlite:/data/plant-store.db}',
};
/** Variables of Node.js and OpenTelemetry. */
const OTHERS = [
  'NODE_EXTRA_CA_CERTS',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_SERVICE_NAME',
];

const VARIABLES = SETTINGS.flatMap((type) =>
  variablesOf(type).map(({ name, sentence, unset }) => ({
    name,
    sentence,
    unset,
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
  const names = [...VARIABLES.map(({ name }) => name), ...OTHERS];
  return names.map((name) => `  ${name}: ${VALUES_OF_COMPOSE[name] ?? ''}`.trimEnd()).join('\n');
}

/** `npm run generate:settings` writes the files, by Vitest's way of updating snapshots. */
describe('the settings of the kernel and of the features', () => {
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
