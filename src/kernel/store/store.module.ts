import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { Degradation } from './degradation.js';
import { GroupCommit } from './group-commit.js';
import { Snapshots } from './scans/snapshots.js';

const provider = {
  provide: GroupCommit,
  useFactory: ({ writeQueueLimit }: Settings) => new GroupCommit(writeQueueLimit),
  inject: [Settings],
};

const providers = [provider, Degradation, Snapshots];

/** The one queue of writes of the service and its snapshots. */
@Module({ providers, exports: providers })
export class StoreModule implements OnApplicationShutdown {
  constructor(private readonly commits: GroupCommit) {}

  /** Accepted writes are done before the database closes. */
  async onApplicationShutdown(): Promise<void> {
    await this.commits.drain();
  }
}
