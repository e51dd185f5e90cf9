import type { Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { Connections } from './connections.js';

const IDLE_CHECK_INTERVAL_MS = 25;

/**
 * Stops listening, lets requests in flight finish and closes connections as they fall idle.
 *
 * What is still open after `timeout` milliseconds, such as a request that never ends, is cut.
 *
 * Node takes a connection for idle as soon as its answer is written, and would cut off what the client has not taken yet;
 * one on which nothing was ever sent it takes for busy.
 */
export async function closeGracefully(
  server: Server,
  timeout: number,
  connections: Connections | undefined,
): Promise<void> {
  if (!server.listening) return;
  const closeIdle = () => {
    connections?.closeSilent();
    if (!connections?.isSending) server.closeIdleConnections();
  };
  const idle = setInterval(closeIdle, IDLE_CHECK_INTERVAL_MS);
  const deadline = setTimeout(() => connections?.closeAll(), timeout);
  // The `close` of an HTTP server closes idle connections unasked.
  await new Promise((resolve) => TcpServer.prototype.close.call(server, resolve));
  clearInterval(idle);
  clearTimeout(deadline);
}
