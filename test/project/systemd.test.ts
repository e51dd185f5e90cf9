import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ANALYZE = '/usr/bin/systemd-analyze';

const UNIT = readFileSync(join(ROOT, 'examples/systemd/plant-store.service'), 'utf8');

describe('the unit of systemd', () => {
  test.runIf(existsSync(ANALYZE))('is valid, and leaves the service few ways out', () => {
    const file = join(temporaryFolder(), 'plant-store.service');
    writeFileSync(file, UNIT.replaceAll('/opt/plant-store/', ROOT));

    const analyze = (...args: string[]) => spawnSync(ANALYZE, [...args, file], { encoding: 'utf8' });
    expect(analyze('verify', '--man=no')).toMatchObject({ status: 0, stderr: '' });
    // Of 100, which a unit without any protection has.
    expect(analyze('security', '--offline=yes', '--threshold=20')).toMatchObject({ status: 0 });
  });
});
