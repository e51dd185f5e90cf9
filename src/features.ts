/** What the service offers, a line each, sorted by name. */
export { HealthModule } from './health/health.module.js';
export { MetricsModule } from './features/metrics/metrics.module.js';
export { PlantsModule } from './plants/plants.module.js';
export { TokensModule } from './tokens/tokens.module.js';
export { WebhooksModule } from './features/webhooks/webhooks.module.js';
