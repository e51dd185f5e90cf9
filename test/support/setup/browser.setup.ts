import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the browser of this run is; empty if the machine has none. */
    readonly browser: string;
  }
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Starts the one browser of this run. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const executablePath = process.env['BROWSER'] ?? onThePath();
  project.provide('browser', '');
  if (executablePath === undefined) return undefined;
  // Chromium has no sandbox for root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const server = await chromium.launchServer({ executablePath, args });
  project.provide('browser', server.wsEndpoint());
  return async () => server.close();
}

let connected: Promise<Browser> | undefined;

/** The browser of this run, for the tests of one worker. */
export function browserOfThisRun(): Promise<Browser> {
  return (connected ??= chromium.connect(inject('browser')));
}

function onThePath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}
