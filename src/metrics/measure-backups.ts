import type { ScheduledBackups } from '../backup/scheduled-backups.js';
import type { Meter } from './meter.js';

/** Measures the backups that the service makes. */
export function measureBackups(meter: Meter, backups: ScheduledBackups): void {
  meter.gauge(
    {
      name: 'plant_store_backup_last_success_timestamp_seconds',
      help: 'Moment that the latest backup shows; 0 before the first.',
    },
    () => (backups.latest?.time.getTime() ?? 0) / 1000,
  );
  meter.gauge(
    { name: 'plant_store_backup_size_bytes', help: 'Size of the latest backup.' },
    () => backups.latest?.bytes,
  );
  meter.gauge(
    {
      name: 'plant_store_backup_duration_seconds',
      help: 'How long the latest backup took, if this run of the service has made it.',
    },
    () => backups.latest?.durationMs && backups.latest.durationMs / 1000,
  );
}
