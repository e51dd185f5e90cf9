import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { freePort } from '../support/postgres-server.js';
import { TOKEN } from '../support/service.js';

const exec = promisify(execFile);

/** What the clients need of the environment; the rest could be settings of the service. */
const CLIENT_ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(PATH|HOME|DOCKER_.*)$/.test(name)),
);

/** How long a container may take to be ready to serve, on a machine that does other things, too. */
export const READY = { timeout: 180_000, interval: 200 };

/** The project's own compose file, under a name and on a port that leave other projects alone. */
export class ComposeProject {
  readonly url: string;
  private readonly environment: Record<string, string>;

  private constructor(
    readonly port: number,
    private readonly options: readonly string[],
  ) {
    this.url = `http://127.0.0.1:${port}`;
    this.environment = {
      ...CLIENT_ENVIRONMENT,
      COMPOSE_PROJECT_NAME: `plant-store-test-${port}`,
      PORT: String(port),
      BOOTSTRAP_TOKEN: TOKEN,
    };
  }

  /** A project of which nothing runs yet; `options` are those of compose itself. */
  static async make(...options: string[]): Promise<ComposeProject> {
    return new ComposeProject(await freePort(), options);
  }

  async compose(...args: string[]): Promise<string> {
    const options = ['compose', ...this.options, ...args];
    return (await exec('docker', options, { env: this.environment })).stdout.trim();
  }

  /** The ids of the containers of a service, whether they run or not. */
  async containers(service: string): Promise<string[]> {
    return (await this.compose('ps', '-a', '-q', service)).split('\n').filter(Boolean);
  }

  /** The id of the only container of a service. */
  async container(service: string): Promise<string> {
    const [id = ''] = await this.containers(service);
    return id;
  }
}

/** Runs the docker client. */
export async function docker(...args: string[]): Promise<string> {
  return (await exec('docker', args)).stdout.trim();
}

/** What the engine says about a container, by the path to it. */
export async function inspect<Value>(container: string, path: string): Promise<Value> {
  return JSON.parse(await docker('inspect', '--format', `{{json ${path}}}`, container)) as Value;
}

export async function becomesHealthy(container: string): Promise<void> {
  await vi.waitUntil(async () => (await inspect(container, '.State.Health.Status')) === 'healthy', READY);
}
