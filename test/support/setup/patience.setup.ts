import { vi } from 'vitest';

const { waitFor, waitUntil } = vi;

/** Vitest gives up after a second, which is little on a machine where all cores are busy. */
const PATIENTLY = { timeout: 20_000 };

vi.waitFor = (callback, options) => waitFor(callback, patiently(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patiently(options));

function patiently(options: Parameters<typeof waitFor>[1]): Parameters<typeof waitFor>[1] {
  return typeof options === 'number' ? options : { ...PATIENTLY, ...options };
}
