import { describe, expect, inject, test } from 'vitest';
import { emptySqlite } from '../../support/database.js';
import { runService } from '../../support/running-process.js';
import { createRequest, TOKEN } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startCollector } from './collector.js';

/** Starts a service in a process that prints what it loads of OpenTelemetry, except for its API, which the Prometheus client uses. */
async function tellingService(environment: Record<string, string>) {
  const telling = `import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => {
      if (/@opentelemetry\\/(?!api\\/)/.test(url)) console.error(url);
      return next(url, context);
    } });`;
  const service = await runService(
    temporaryFolder(),
    { DATABASE_URL: emptySqlite().url, BOOTSTRAP_TOKEN: TOKEN, ...environment },
    { flags: ['--import', `data:text/javascript,${encodeURIComponent(telling)}`] },
  );
  await fetch(`${service.url}/plants`, createRequest({ id: 1, name: 'Aloe' }));
  service.child.kill('SIGTERM');
  return { exitCode: await service.exited, loaded: service.stderr() };
}

describe.runIf(inject('database') === 'sqlite')('a service', () => {
  test('without a collector loads nothing of OpenTelemetry', async () => {
    expect(await tellingService({})).toEqual({ exitCode: 0, loaded: '' });
  });

  test('with a collector has exported everything when it has stopped', async () => {
    const collector = await startCollector();

    const { exitCode, loaded } = await tellingService({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: 'greenhouse',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.instance.id=1',
    });

    expect(exitCode).toBe(0);
    expect(loaded).toContain('/@opentelemetry/sdk-trace/');
    expect(collector.spans).toMatchObject([
      {
        name: 'POST /plants',
        resource: {
          'service.name': 'greenhouse',
          'service.instance.id': '1',
          'deployment.environment.name': 'test',
        },
      },
    ]);
  });
});
