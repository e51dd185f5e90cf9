import { prepareProcess } from './kernel/config/node-process.js';

prepareProcess();
// Loaded after the check: an older Node.js fails on the first import that it does not know.
const { start } = await import('./kernel/app/start.js');
await start();
