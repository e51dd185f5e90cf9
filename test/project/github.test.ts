import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { describe, expect, test } from 'vitest';

// GitHub's parser imports JSON as only bundlers can.
const hooks = registerHooks({
  load: (url, context, next) =>
    next(url, { ...context, ...(url.endsWith('.json') && { importAttributes: { type: 'json' } }) }),
});
const { NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser');
hooks.deregister();

const FOLDER = new URL('../../.github/workflows/', import.meta.url);

function problems(name: string, content: string): string[] {
  const { context } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  return context.errors.getErrors().map(({ message }) => message);
}

describe('the workflows', () => {
  test.for(readdirSync(FOLDER))('are valid, and by default only read: %s', (name) => {
    const content = readFileSync(new URL(name, FOLDER), 'utf8');

    expect(problems(name, content)).toEqual([]);
    expect(content).toContain('\npermissions:\n  contents: read\n\n');
    expect(problems(name, content.replace('contents: read', 'content: read'))).not.toEqual([]);
  });
});
