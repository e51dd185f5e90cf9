import type { IRoute } from 'express';
import { answeredErrors } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { type ClosedRequest, closedRequests } from '../logging/access-log.js';
import type { Meter } from './meter.js';

/** The status of a request whose client left before it had one. */
const NO_STATUS = 0;

/** What is counted of the requests of one route, or of all those that no route took. */
class RouteCounts {
  readonly labels: { readonly method: string; readonly route: string };
  readonly statuses = new Map<number, number>();

  constructor(route: IRoute | undefined) {
    const [handler] = route?.stack ?? [];
    this.labels = { method: handler?.method.toUpperCase() ?? 'other', route: route?.path ?? 'none' };
  }
}

/**
 * Measures requests and the Errors that they are answered.
 *
 * Labels come from the route, so no client can add a series. HEAD counts as its GET, and all requests without a route share
 * one label. Only requests with a valid token count in the durations: probes and strangers are fast whatever the store does.
 */
export function measureRequests(meter: Meter): void {
  const routes = new Map<IRoute | undefined, RouteCounts>();
  meter.counter({
    name: 'http_requests_total',
    help: 'Requests that have ended, by route and status. The status is 0 if the client left before it had one.',
    labelNames: ['method', 'route', 'status'],
    // Read at a scrape: a counter with three labels would cost each request 0.7 µs.
    collect() {
      this.reset();
      for (const { labels, statuses } of routes.values())
        for (const [status, count] of statuses) this.inc({ ...labels, status }, count);
    },
  });
  const durations = meter.histogram(
    'http_request_duration_seconds',
    'Time from the headers of a request to the end of its response, for requests with a valid token.',
    ['method', 'route'],
  );
  meter.listen(closedRequests, ({ request, response, durationMs }: ClosedRequest) => {
    const route = request.route as IRoute | undefined;
    let counts = routes.get(route);
    if (counts === undefined) routes.set(route, (counts = new RouteCounts(route)));
    const { labels, statuses } = counts;
    const status = response.headersSent ? response.statusCode : NO_STATUS;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (request.user !== undefined) durations.observe(labels, durationMs / 1000);
  });
  const errors = meter.counter({
    name: 'plant_store_errors_total',
    help: 'Error records sent, by error value.',
    labelNames: ['error'],
  });
  // Alerts look at these two: a counter that appears with its first error does not show it as an increase.
  for (const error of [ErrorValue.Unexpected, ErrorValue.Unavailable]) errors.inc({ error }, 0);
  meter.listen(answeredErrors, (error: number) => errors.inc({ error }));
}
