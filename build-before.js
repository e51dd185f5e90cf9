// Builds the project before `npm start`, and before `npm run plant-store` if it was never built.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const isBuilt = existsSync('dist/src/main.js');
const hasTools = existsSync('node_modules/vite');
if (hasTools && (!isBuilt || process.argv[2] === 'start'))
  process.exitCode = spawnSync('npm run build', { shell: true, stdio: 'inherit' }).status ?? 1;
else if (!isBuilt) {
  process.stderr.write(
    'The project is not built, and what builds it is not installed: run npm ci && npm run build first.\n',
  );
  process.exitCode = 1;
}
