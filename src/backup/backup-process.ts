/** What the service starts for a backup: `backup-process.js <store> <file>` prints the result as JSON, or the reason of a failure. */
import { constants, setPriority } from 'node:os';
import { backUp } from './back-up.js';

const [path = '', file = ''] = process.argv.slice(2);
// The service comes first; but a process that gets next to nothing of a busy machine would hold the snapshot for long.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
try {
  process.stdout.write(JSON.stringify(await backUp(path, file)));
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
