import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../src/app.module.js';
import { Configuration, variablesOf } from '../../src/kernel/config/configuration.js';
import { Settings } from '../../src/kernel/config/settings.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TEXT = readFileSync(join(ROOT, 'examples/kubernetes/plant-store.yaml'), 'utf8');

/** Where `kubernetes-types` has each kind. */
const PLACES: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  Service: 'core/v1',
  PodDisruptionBudget: 'policy/v1',
};

interface Manifest {
  readonly kind: string;
}

/** What the compiler says of a manifest as a value of its type: unknown, missing and wrong members. */
function problemsOf(manifest: Manifest): string[] {
  const place = `kubernetes-types/${PLACES[manifest.kind]}.js`;
  const code = `import type { ${manifest.kind} } from '${place}';\nexport const it: ${manifest.kind} = ${JSON.stringify(manifest)};`;
  const name = join(ROOT, 'test/project/manifest.ts');
  const options = {
    module: ts.ModuleKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  const files = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...files,
    fileExists: (path) => path === name || files.fileExists(path),
    getSourceFile: (path, target) =>
      path === name ? ts.createSourceFile(path, code, target) : files.getSourceFile(path, target),
  };
  const found = ts.getPreEmitDiagnostics(ts.createProgram([name], options, host));
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('the example for Kubernetes', () => {
  const manifests = parseAllDocuments(TEXT).map((document) => document.toJS() as Manifest);

  test('has manifests as Kubernetes defines them', () => {
    expect(manifests.map(({ kind }) => kind)).toEqual(Object.keys(PLACES));
    for (const manifest of manifests) expect(problemsOf(manifest), manifest.kind).toEqual([]);
    expect(problemsOf({ ...manifests[1], spec: { selectors: {} } } as Manifest)).toHaveLength(1);
  });

  test('sets variables of the service, and waits longer than a stop takes', () => {
    const [{ spec } = {}] = manifests as Deployment[];
    const { containers: [container] = [], terminationGracePeriodSeconds = 0 } = spec?.template.spec ?? {};
    const names = SETTINGS.flatMap((type) => variablesOf(type)).map(({ name }) => name);
    const environment = Object.fromEntries(
      (container?.env ?? []).map(({ name, value }) => [name, value ?? '']),
    );

    expect(names).toEqual(
      expect.arrayContaining(Object.keys(environment).map((name) => name.replace('_FILE', ''))),
    );
    const { SHUTDOWN_DELAY_MS } = environment;
    const { timeouts } = new Configuration([Settings], { SHUTDOWN_DELAY_MS }).get(Settings);
    expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(timeouts.shutdownDelay + timeouts.shutdown);
  });
});
