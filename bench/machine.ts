import { cpus } from 'node:os';

/** What the figures were measured on. */
export const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length };
