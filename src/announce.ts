import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname, resolve } from 'node:path';
import { type INestApplication, Logger } from '@nestjs/common';
import { SCOPES } from './app.module.js';
import { AccessTokensService } from './auth/access-tokens.service.js';
import { publicAddress } from './config/public-address.js';
import type { DatabaseSettings, Settings } from './config/settings.js';
import { CONSOLE_PATH } from './console/serve-console.js';
import { describeDatabase } from './database/describe-database.js';
import { REFERENCE_PATH } from './openapi/reference-page.js';

const logger = new Logger('PlantStore');

/** Tells whoever started the service where it listens, what it writes to and how to try it. */
export async function announce(app: INestApplication, settings: Settings): Promise<void> {
  const address = publicAddress(app, settings);
  const { address: host, port } = app.getHttpServer().address() as AddressInfo;
  logger.log(
    `Listening on ${host} port ${port}, storing plants in ${describeDatabase(settings.database)}; try it at ${address}${settings.console ? CONSOLE_PATH : REFERENCE_PATH}`,
  );
  const secret = await app
    .get(AccessTokensService)
    .issueFirst({ name: 'bootstrap', scopes: SCOPES, expiresAt: null });
  if (secret === undefined) return;
  const link = settings.console ? `${address}${CONSOLE_PATH}#token=` : undefined;
  if (process.stdout.isTTY && process.stderr.isTTY) process.stderr.write(shownToken(address, secret, link));
  else keepToken(address, secret, settings.database, link);
}

/** At a terminal, which forgets it. Not in the log: this is the only time that the secret is seen. */
function shownToken(address: string, secret: string, link: string | undefined): string {
  return `
This store had no access token yet, so one was made. It is not shown again: keep it.

  ${secret}
${link === undefined ? '' : `\nSee the plants with it in a browser:\n\n  ${link}${secret}\n`}${firstRequest(address, `'Authorization: Bearer ${secret}'`)}`;
}

/** What is written elsewhere is kept by who knows whom, so the secret goes to a file of its own. */
function keepToken(
  address: string,
  secret: string,
  database: DatabaseSettings,
  link: string | undefined,
): void {
  const folder = database.type === 'sqlite' ? dirname(database.path) : 'data';
  const path = resolve(folder, 'first-token');
  try {
    mkdirSync(folder, { recursive: true });
    rmSync(path, { force: true });
    writeFileSync(path, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const { message } = error as Error;
    logger.warn(
      `The first access token could not be kept and is lost (${message}): make another one with plant-store token create.`,
    );
    return;
  }
  process.stderr.write(`
This store had no access token yet, so one was made. Only this user can read its file; to show it:

  cat '${path}'
${link === undefined ? '' : `\nTo get the address that shows the plants in a browser:\n\n  echo "${link}$(cat '${path}')"\n`}${firstRequest(address, `"Authorization: Bearer $(cat '${path}')"`)}`);
}

function firstRequest(address: string, authorization: string): string {
  return `
Create your first plant with it:

  curl ${address}/plants \\
    -H ${authorization} \\
    -H 'Content-Type: application/json' \\
    -d '{"id": 1, "name": "Monstera deliciosa", "tag": "houseplant"}'

`;
}
