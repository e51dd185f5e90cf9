import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import type { Settings } from './config/settings.js';

const EVERY_INTERFACE = new Set(['0.0.0.0', '::']);

/** The address under which clients reach the service: the configured one, else where it listens. */
export function publicAddress(app: INestApplication, { baseUrl, host, port }: Settings): string {
  if (baseUrl !== undefined) return baseUrl;
  const listening = app.getHttpServer().address() as AddressInfo | null;
  const name = EVERY_INTERFACE.has(host) ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${listening?.port ?? port}`;
}
