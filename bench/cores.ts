import { cpus } from 'node:os';

/** The core that a measured server runs on; the load comes from another. */
export const SERVER_CORE = '0';

/** The core that the load comes from. */
export const LOAD_CORE = '1';

/** No placement at all: the system decides. */
export const ALL_CORES = `0-${cpus().length - 1}`;
