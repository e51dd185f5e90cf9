import { type BeforeApplicationShutdown, Global, Module, type OnModuleInit, Optional } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, ModuleRef } from '@nestjs/core';
import { DataSource, type ObjectLiteral } from 'typeorm';
import { Settings } from '../../kernel/config/settings.js';
import type { Collection } from '../../kernel/resource/collection.js';
import { collectionToken } from '../../kernel/resource/resource.module.js';
import { Sites } from '../../kernel/store/sites.js';
import { addChangeCommands } from './change-commands.js';
import { ChangeFeed } from './change-feed.js';
import { HasChanges } from './changes.controller.js';
import { ChangesSettings } from './changes.settings.js';
import { ChangeFeeds, LiveFeed } from './live-feed.js';

/** Keeps the changes of the resources that have `changesOf()`. */
@Global()
@Module({ imports: [DiscoveryModule], providers: [ChangeFeeds], exports: [ChangeFeeds] })
export class ChangesModule implements OnModuleInit, BeforeApplicationShutdown {
  static readonly settings = ChangesSettings;
  static readonly addCommands = addChangeCommands;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly modules: ModuleRef,
    private readonly dataSource: DataSource,
    private readonly feeds: ChangeFeeds,
    private readonly changesSettings: ChangesSettings,
    private readonly settings: Settings,
    @Optional() private readonly sites?: Sites,
  ) {}

  /** Makes the triggers, or removes them, before webhooks are delivered. Only the service does this, not commands. */
  async onModuleInit(): Promise<void> {
    const { dataSource, feeds, changesSettings } = this;
    feeds.disorder = this.sites?.disorder;
    for (const controller of this.discovery.getControllers({ metadataKey: HasChanges.KEY })) {
      const resource = this.discovery.getMetadataByDecorator(HasChanges, controller);
      if (resource === undefined) continue;
      feeds.resources.push(resource);
      const token = collectionToken(resource.entity);
      const { table } = this.modules.get<Collection<ObjectLiteral>>(token, { strict: false });
      const feed = new ChangeFeed(dataSource, table, this.settings.database, changesSettings, feeds.disorder);
      await feed.begin();
      if (feed.isOn) feeds.set(feed.resource, new LiveFeed(feed));
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(Array.from(this.feeds.values(), (live) => live.stop()));
  }
}
