import { readdirSync } from 'node:fs';
import { defineConfig, type OxlintOverride } from 'oxlint';

/** The folders of `src/kernel` from the ground up: each uses only those of the lines before its own. */
const LAYERS = [
  ['errors'],
  ['validation'],
  ['config'],
  ['logging'],
  ['database'],
  ['auth'],
  ['store'],
  ['http'],
  ['openapi'],
  ['resource'],
  ['cli'],
  ['app'],
];

/** What folders have inside, which their own files use, and what is beside `src`. */
const INNER: Readonly<Record<string, readonly string[]>> = {
  database: ['migrations'],
  http: ['body', 'connection', 'pipeline', 'server'],
};

/** What the service is made of. Only the folders that put it together import it. */
const TOP = ['../**/app.module.js', '../**/features.js', '../**/main.js'];
const PUT_TOGETHER = new Set(['cli', 'app']);

/** The folders that may be taken out. */
const FEATURES = readdirSync(new URL('src/features', import.meta.url));

/** Of a feature, those that it needs. Taking these out takes it along. */
const NEEDS: Readonly<Record<string, readonly string[]>> = { webhooks: ['changes'] };

const KERNEL_ALONE = {
  regex: String.raw`^\.\.?/(.*/)?features/`,
  message:
    'The kernel imports no feature: features.ts names it, and the module of a resource what the resource gets.',
};

/** Of what is outside of a folder, lets in only some folders. */
function onlyImports(
  folders: readonly string[],
  message: string,
  others: readonly object[] = [KERNEL_ALONE],
): NonNullable<OxlintOverride['rules']> {
  const group = [
    '../**',
    '!../*.js',
    '!../**/features/**',
    ...TOP,
    ...folders.map((folder) => `!../**/${folder}`),
  ];
  return { 'no-restricted-imports': ['error', { patterns: [...others, { group, message }] }] };
}

const OF_LAYERS = [...LAYERS.flat(), 'dto'].map((layer) => `${layer}/**`).concat('*.entity.js');
const LAYERS_ALONE = 'A module uses the layers below, and of another module its entity.';

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  env: { node: true },
  rules: {
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-unassigned-import': ['error', { allow: ['**/*.css', '**/typeorm-bigint.js'] }],
    'no-await-in-loop': 'off',
    'typescript/no-explicit-any': 'error',
    'typescript/no-extraneous-class': 'off',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-unsafe-enum-comparison': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'typescript/switch-exhaustiveness-check': 'error',
  },
  ignorePatterns: ['dist'],
  overrides: [
    { files: ['src/*/**'], rules: onlyImports(OF_LAYERS, LAYERS_ALONE) },
    { files: ['src/plants/plants.module.ts'], rules: onlyImports(OF_LAYERS, LAYERS_ALONE, []) },
    ...LAYERS.flatMap((layers, level) =>
      layers.map((layer) => ({
        files: [`src/kernel/${layer}/**`],
        rules: onlyImports(
          [
            ...[...LAYERS.slice(0, level).flat(), ...(INNER[layer] ?? [])].map((folder) => `${folder}/**`),
            ...(PUT_TOGETHER.has(layer) ? ['app.module.js'] : []),
          ],
          `Imports lead down: ${layer} uses only the folders below it (${LAYERS.slice(0, level).flat().join(', ')}).`,
        ),
      })),
    ),
    // A BroadcastChannel and a thread have no origin.
    {
      files: ['console/**', 'src/kernel/database/**'],
      rules: { 'unicorn/require-post-message-target-origin': 'off' },
    },
    {
      files: ['src/*.ts'],
      rules: { 'no-restricted-imports': ['error', { patterns: [KERNEL_ALONE] }] },
    },
    { files: ['src/features.ts'], rules: { 'no-restricted-imports': 'off' } },
    ...FEATURES.map((feature) => {
      const others = FEATURES.filter((other) => other !== feature && !NEEDS[feature]?.includes(other));
      const regex = String.raw`^(\.\./)+(${others.join('|')})/`;
      const message = `${feature} imports no other feature, unless NEEDS of oxlint.config.ts names it.`;
      return {
        files: [`src/features/${feature}/**`],
        rules: { 'no-restricted-imports': ['error', { patterns: [{ regex, message }] }] },
      } satisfies OxlintOverride;
    }),
    {
      files: ['test/**', '**/*.spec.ts'],
      rules: {
        'no-restricted-imports': 'off',
        'vitest/valid-expect': 'off',
        'vitest/no-conditional-expect': 'off',
        'jest/valid-expect': 'off',
        'jest/no-conditional-expect': 'off',
      },
    },
  ],
});
