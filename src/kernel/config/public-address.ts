import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Settings } from './settings.js';

const EVERY_INTERFACE = new Set(['0.0.0.0', '::']);

/** The address under which clients reach the service: the configured one, else where it listens. */
export function publicAddress(server: Server, { baseUrl, HOST: host, PORT: port }: Settings): string {
  if (baseUrl !== undefined) return baseUrl;
  const address = server.address() as AddressInfo | null;
  const name = EVERY_INTERFACE.has(host) ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${address?.port ?? port}`;
}
