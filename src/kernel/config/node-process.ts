import { createRequire } from 'node:module';

/** Makes new files private to the user of the process. Ends the process if Node.js is older than package.json allows. */
export function prepareProcess(): void {
  const { engines } = createRequire(import.meta.url)('../../../../package.json') as {
    engines: { node: string };
  };
  const oldest = engines.node.replace('>=', '');
  if (Number.parseInt(process.versions.node, 10) < Number(oldest)) {
    process.stderr.write(
      `plant-store needs Node.js ${oldest} or newer, and this is ${process.versions.node}. ` +
        'The scripts of npm use the one that `npm ci` installs.\n',
    );
    process.exit(1);
  }
  process.umask(0o077);
}
