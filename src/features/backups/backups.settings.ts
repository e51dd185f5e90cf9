import { resolve } from 'node:path';
import { Variable } from '../../kernel/config/configuration.js';
import { Check, IsDuration, IsWholeNumber, millisecondsOf } from '../../kernel/config/formats.js';

/** The settings of backups that the service makes itself. */
export class BackupSettings {
  @Variable(
    'The folder for [backups](backup.md#backup-of-sqlite) of the SQLite file, which the service makes itself. With Docker Compose: `/backups`, a volume.',
  )
  @Check(
    (_, { DATABASE_URL }) =>
      !String(DATABASE_URL).startsWith('sqlite:') &&
      'must be empty on a Citus cluster and on PostgreSQL, which have tools of their own (docs/backup.md)',
  )
  BACKUP_FOLDER: string | undefined;

  @Variable('The time from one backup to the next: a whole number and `s`, `m`, `h` or `d`.')
  @IsDuration()
  BACKUP_INTERVAL = '24h';

  @Variable('How many backups the service keeps. It deletes older ones.')
  @IsWholeNumber(1, 10_000)
  BACKUP_KEEP = 7;

  /** Absolute path of a folder that belongs to this store alone; undefined without scheduled backups. */
  get folder(): string | undefined {
    return this.BACKUP_FOLDER && resolve(this.BACKUP_FOLDER);
  }

  /** Milliseconds. */
  get interval(): number {
    return millisecondsOf(this.BACKUP_INTERVAL);
  }
}
