import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname, resolve } from 'node:path';
import { type INestApplication, Logger } from '@nestjs/common';
import { featuresOf, SCOPES } from '../../app.module.js';
import { AccessTokensService } from '../auth/access-tokens.service.js';
import { publicAddress } from '../config/public-address.js';
import type { Configuration } from '../config/configuration.js';
import { Settings } from '../config/settings.js';
import { describeDatabase } from '../database/database-start.error.js';

const logger = new Logger('PlantStore');

/** Logs the address and the database of the service, and saves the first access token. */
export async function announce(app: INestApplication, configuration: Configuration): Promise<void> {
  const settings = configuration.get(Settings);
  const [page = ''] = featuresOf(configuration).flatMap((feature) => feature.page ?? []);
  const server = app.getHttpServer();
  const address = publicAddress(server, settings);
  const { address: host, port } = server.address() as AddressInfo;
  logger.log(
    `Listening on ${host} port ${port}, storing plants in ${describeDatabase(settings.database)}; try it at ${address}${page}`,
  );
  const secret = await app
    .get(AccessTokensService)
    .issueFirst({ name: 'bootstrap', scopes: SCOPES, expiresAt: null });
  if (secret !== undefined) keepToken(secret, address, settings, page);
}

/** Writes the token to a private file, because output may be logged. */
function keepToken(secret: string, address: string, { database }: Settings, page: string): void {
  const path = resolve(database.type === 'sqlite' ? dirname(database.path) : 'data', 'first-token');
  try {
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    writeFileSync(path, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const { message } = error as Error;
    logger.warn(
      `The first access token could not be saved and is lost (${message}): make another one with plant-store token create.`,
    );
    return;
  }
  const link =
    page &&
    `
Open it in a browser at ${address}${page}
`;
  process.stderr.write(`
This store had no access token yet, so one was made. Only this user can read its file; to show it:

  cat '${path}'
${link}
Create your first plant with it:

  curl ${address}/plants \\
    -H "Authorization: Bearer $(cat '${path}')" \\
    -H 'Content-Type: application/json' \\
    -d '{"id": 1, "name": "Monstera deliciosa", "tag": "houseplant"}'

`);
}
