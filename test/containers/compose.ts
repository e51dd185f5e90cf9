import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/** `docker compose` where the plugin is there, else the older `docker-compose`. */
const COMPOSE = hasPlugin() ? ['docker', 'compose'] : ['docker-compose'];

/** What the clients need of the environment; the rest could be settings of the service. */
const CLIENT_ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(PATH|HOME|DOCKER_.*)$/.test(name)),
);

/** Runs compose on the project's own file, under a project name and with settings that leave other projects alone. */
export async function compose(environment: Record<string, string>, ...args: string[]): Promise<string> {
  const [command = '', ...rest] = [...COMPOSE, ...args];
  return (await exec(command, rest, { env: { ...CLIENT_ENVIRONMENT, ...environment } })).stdout.trim();
}

/** Runs the docker client. */
export async function docker(...args: string[]): Promise<string> {
  return (await exec('docker', args)).stdout.trim();
}

function hasPlugin(): boolean {
  try {
    execFileSync('docker', ['compose', 'version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
