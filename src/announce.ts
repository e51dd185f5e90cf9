import type { AddressInfo } from 'node:net';
import { type INestApplication, Logger } from '@nestjs/common';
import { BootstrapToken } from './auth/bootstrap-token.js';
import { publicAddress } from './config/public-address.js';
import type { Settings } from './config/settings.js';
import { describeDatabase } from './database/describe-database.js';

/** Tells whoever started the service where it listens, what it writes to and how to try it. */
export async function announce(app: INestApplication, settings: Settings): Promise<void> {
  const address = publicAddress(app, settings);
  const { address: host, port } = app.getHttpServer().address() as AddressInfo;
  new Logger('PlantStore').log(
    `Listening on ${host} port ${port}, storing plants in ${describeDatabase(settings.database)}; try it at ${address}/docs`,
  );
  const secret = await app.get(BootstrapToken).issueFirst();
  if (secret !== undefined) process.stderr.write(firstToken(address, secret));
}

/** Written to standard error and not to the log: this is the only time that the secret is seen. */
function firstToken(address: string, secret: string): string {
  return `
This store had no access token yet, so one was made. It is not shown again: keep it.

  ${secret}

Create your first plant with it:

  curl ${address}/plants \\
    -H 'Authorization: Bearer ${secret}' \\
    -H 'Content-Type: application/json' \\
    -d '{"id": 1, "name": "Monstera deliciosa", "tag": "houseplant"}'

`;
}
