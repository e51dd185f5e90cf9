import type { Server } from 'node:http';

const IDLE_CHECK_INTERVAL_MS = 25;

/**
 * Stops listening, lets requests in flight finish and closes connections as they fall idle.
 *
 * What is still open after `timeout` milliseconds, such as a request that never ends, is cut.
 */
export async function closeGracefully(server: Server, timeout: number): Promise<void> {
  if (!server.listening) return;
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_INTERVAL_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), timeout);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(idle);
  clearTimeout(deadline);
}
