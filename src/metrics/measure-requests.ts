import type { IRoute } from 'express';
import { answeredErrors } from '../errors/answered-errors.js';
import { ErrorValue } from '../errors/error-value.js';
import { type ClosedRequest, closedRequests } from '../logging/access-log.js';
import { Durations } from './durations.js';
import { by, type Meter } from './meter.js';

/** The status of a request whose client left before it had one. */
const NO_STATUS = 0;

/** What is counted of the requests of one route, or of all those that no route took. */
class RouteCounts {
  readonly labels: { readonly method: string; readonly route: string };
  readonly statuses = new Map<number, number>();
  readonly durations = new Durations();

  constructor(route: IRoute | undefined) {
    const [handler] = route?.stack ?? [];
    this.labels = { method: handler?.method.toUpperCase() ?? 'other', route: route?.path ?? 'none' };
  }

  add({ request, response, durationMs }: ClosedRequest): void {
    const status = response.headersSent ? response.statusCode : NO_STATUS;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (request.user !== undefined) this.durations.add(durationMs);
  }
}

/**
 * Measures requests and the Errors that they are answered.
 *
 * Methods and paths are those of routes, so that no client can make series: HEAD counts as the GET that answers it, and what no
 * route takes shares one label. Durations are of requests with a valid token: probes and strangers are answered fast, whatever
 * the store does.
 */
export function measureRequests(meter: Meter): void {
  const routes = new Map<IRoute | undefined, RouteCounts>();
  // Alerts look at these two: a counter that appears with its first error does not show it as an increase.
  const errors = new Map<number, number>([
    [ErrorValue.Unexpected, 0],
    [ErrorValue.Unavailable, 0],
  ]);
  meter.listen(closedRequests, (closed: ClosedRequest) => {
    const route = closed.request.route as IRoute | undefined;
    let counts = routes.get(route);
    if (counts === undefined) routes.set(route, (counts = new RouteCounts(route)));
    counts.add(closed);
  });
  meter.listen(answeredErrors, (error: number) => errors.set(error, (errors.get(error) ?? 0) + 1));
  meter.counter(
    {
      name: 'http_requests_total',
      help: 'Requests that have ended, by route and status. The status is 0 if the client left before it had one.',
      labelNames: ['method', 'route', 'status'],
    },
    () =>
      routes
        .values()
        .flatMap(({ labels, statuses }) =>
          statuses.entries().map(([status, count]) => [{ ...labels, status }, count] as const),
        ),
  );
  meter.histogram(
    {
      name: 'http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its response, for requests with a valid token.',
      labelNames: ['method', 'route'],
    },
    () =>
      routes
        .values()
        .filter(({ durations }) => durations.counts.some((count) => count > 0))
        .map(({ labels, durations }) => [labels, durations] as const),
  );
  meter.counter(
    { name: 'plant_store_errors_total', help: 'Error records sent, by error value.', labelNames: ['error'] },
    () => by('error', errors),
  );
}
