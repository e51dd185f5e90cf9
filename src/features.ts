/** The modules of the service, one per line. Each folder of `features/` may be removed with its line. */
export { PlantsModule } from './plants/plants.module.js';

export { BackupModule } from './features/backups/scheduled-backups.js';
export { ChangesModule } from './features/changes/changes.module.js';
export { CitusModule } from './features/citus/citus.module.js';
export { ConsoleModule } from './features/console/console.module.js';
export { HealthModule } from './features/health/health.module.js';
export { IdentityProviderModule } from './features/identity-provider/identity-provider.module.js';
export { MetricsModule } from './features/metrics/metrics.module.js';
export { ReferenceModule } from './features/reference/reference.module.js';
export { SearchModule } from './features/search/search.module.js';
export { TokensModule } from './features/tokens/tokens.module.js';
export { TransferModule } from './features/transfer/transfer.module.js';
export { WebhooksModule } from './features/webhooks/webhooks.module.js';
