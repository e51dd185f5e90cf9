import { expect, test } from 'vitest';
import { runService } from '../support/running-process.js';
import { TOKEN } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Writes at the end of a process whether the client of Prometheus was loaded. */
const TELL = `data:text/javascript,
  process.on('exit', () => {
    const loaded = Object.keys(process.getBuiltinModule('module')._cache);
    console.error(loaded.some((path) => path.includes('@prometheus-io')) ? 'loaded' : 'not loaded');
  });`;

test.for([
  ['on', 'loaded'],
  ['off', 'not loaded'],
] as const)('with METRICS=%s, the client of Prometheus is %s', async ([METRICS, expected]) => {
  const flags = ['--import', TELL];
  const service = await runService(temporaryFolder(), { METRICS, BOOTSTRAP_TOKEN: TOKEN }, { flags });

  service.child.kill('SIGTERM');

  expect(await service.exited).toBe(0);
  expect(service.stderr().trim()).toBe(expected);
});
