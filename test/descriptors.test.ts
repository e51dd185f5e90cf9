import { expect, test, vi } from 'vitest';
import { emptyDatabase } from './support/database.js';
import { type RawConnection, requestText, sendRaw } from './support/network/raw-connection.js';
import { runService } from './support/running-process.js';
import { TOKEN } from './support/service.js';
import { temporaryFolder } from './support/temporary-folder.js';

/** The maximum number of files and connections of the service, and of connections then. */
const DESCRIPTORS = 400;
const CONNECTIONS = 100;

const EXPORT = requestText('GET /plants/export', ['Connection: close']);

function isOpen({ socket }: RawConnection): boolean {
  return !socket.readableEnded && !socket.destroyed;
}

test.skipIf(process.platform === 'win32')(
  'a service with few file descriptors keeps enough of them for its store, however many clients connect',
  async () => {
    const { url } = await emptyDatabase();
    const environment = { DATABASE_URL: url, BOOTSTRAP_TOKEN: TOKEN };
    const service = await runService(temporaryFolder(), environment, { descriptors: DESCRIPTORS });
    const port = Number(new URL(service.url).port);

    const strangers = Array.from({ length: 2 * DESCRIPTORS }, async () => sendRaw(port, ''));
    const connections = await Promise.all(strangers);
    await vi.waitUntil(() => connections.filter(isOpen).length === CONNECTIONS);
    // It opens files of SQLite, or a connection to PostgreSQL.
    const client = connections.find(isOpen);
    client?.socket.write(EXPORT);
    expect(await client?.ended).toMatch(/^HTTP\/1\.1 200 /);

    expect(service.child.exitCode).toBe(null);
    expect(service.stdout()).toContain(
      `At most ${CONNECTIONS} connections instead of 10000: \`ulimit -n\` is ${DESCRIPTORS}.`,
    );
    expect(service.stdout()).not.toContain('EMFILE');
  },
);
