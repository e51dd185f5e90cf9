import { vi } from 'vitest';

const { waitFor, waitUntil } = vi;

/** Vitest gives up after a second, which is little on a machine where all cores are busy. */
const PATIENTLY = 20_000;

vi.waitFor = (callback, options = PATIENTLY) => waitFor(callback, options);
vi.waitUntil = (callback, options = PATIENTLY) => waitUntil(callback, options);
