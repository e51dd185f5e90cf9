import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Stands between a service and its database, as a network does. */
export interface TcpProxy {
  readonly port: number;
  /** Leads new connections to another port, and ends those to the old one. */
  leadTo(port: number): void;
  /** From now on delivers what is sent to the server, and breaks the connection when the server answers. */
  loseAnswers(): void;
  /** Ends `loseAnswers`. */
  mend(): void;
  /** Delivers nothing any more on the connections that there are, and leaves them open; new ones work. */
  silence(): void;
}

/** Starts a proxy in front of a port on this machine; it is gone when the test is over. */
export async function startProxy(firstTarget: number): Promise<TcpProxy> {
  const open = new Set<Socket>();
  let target = firstTarget;
  let losesAnswers = false;
  let generation = 0;
  const cutAll = () => open.forEach((socket) => socket.destroy());
  const proxy = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    const born = generation;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(from);
      from
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(from);
          to.destroy();
        });
      from.on('data', (chunk) => {
        if (from === server && losesAnswers) client.destroy();
        else if (born === generation) to.write(chunk);
      });
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    cutAll();
    proxy.close();
  });
  return {
    port: (proxy.address() as AddressInfo).port,
    leadTo: (port) => {
      target = port;
      cutAll();
    },
    loseAnswers: () => (losesAnswers = true),
    mend: () => (losesAnswers = false),
    silence: () => (generation += 1),
  };
}
