import { createRequire } from 'node:module';

/** Ends the process on a Node.js that is older than package.json allows. */
export function requireNode(): void {
  const { engines } = createRequire(import.meta.url)('../../package.json') as { engines: { node: string } };
  const oldest = engines.node.replace('>=', '');
  if (Number.parseInt(process.versions.node, 10) >= Number(oldest)) return;
  process.stderr.write(
    `plant-store needs Node.js ${oldest} or newer, and this is ${process.versions.node}. ` +
      'The scripts of npm use the one that `npm ci` installs.\n',
  );
  process.exit(1);
}
