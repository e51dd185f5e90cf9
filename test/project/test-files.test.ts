import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import config from '../../vitest.config.js';

test('every file of tests belongs to a project, so that a new folder is not left out in silence', () => {
  const files = globSync(['{test,src,console/src}/**/*.{test,spec}.ts'], {
    exclude: (name) => name.endsWith('node_modules') || name.endsWith('generated'),
  });
  const projects = (config.test?.projects ?? []).flatMap((project) =>
    typeof project === 'object' && 'test' in project ? [project.test ?? {}] : [],
  );
  const isRun = (file: string) =>
    projects.some(
      ({ include = [], exclude = [] }) =>
        include.some((pattern) => matchesGlob(file, pattern)) &&
        !exclude.some((pattern) => matchesGlob(file, pattern)),
    );

  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => !isRun(file))).toEqual([]);
});
