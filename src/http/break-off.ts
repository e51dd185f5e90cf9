import type { ServerResponse } from 'node:http';
import { type ErrorValue, statusOf } from '../errors/error-value.js';
import { sendJson } from './send-json.js';

/** Ends an exchange and its connection: with an Error, or, when it is too late for one, with an answer that breaks off. */
export function breakOff(response: ServerResponse, value: ErrorValue, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.shouldKeepAlive = false;
  sendJson(response, statusOf(value), { error: value, message });
}
