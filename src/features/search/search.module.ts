import { applyDecorators, type DynamicModule, Module, type Type } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { DataSource, type ObjectLiteral } from 'typeorm';
import { Settings } from '../../kernel/config/settings.js';
import type { Collection } from '../../kernel/resource/collection.js';
import type { Resource } from '../../kernel/resource/resource.js';
import { collectionToken } from '../../kernel/resource/resource.module.js';
import { MayBeAbsent } from '../../kernel/validation/decorators.js';
import { SearchIndex } from './search-index.js';
import { SearchSettings } from './search.settings.js';

/** One to eight words of at most 64 characters. */
const WORDS = String.raw`^\s*[^\s\x00]{1,64}(\s+[^\s\x00]{1,64}){0,7}\s*$`;

const Search = applyDecorators(
  ApiPropertyOptional({
    type: String,
    pattern: WORDS,
    description:
      'Only those that contain all of these words, in any case: one to eight words of at most 64 characters. A page may have fewer than `limit`, or none, and still have a `Link` to the next.',
    example: 'deliciosa',
  }),
  MayBeAbsent(),
  Matches(new RegExp(WORDS, 'u'), { message: '$property must be 1 to 8 words of at most 64 characters' }),
);

/** Searches the lists of resources. */
@Module({})
export class SearchModule {
  static readonly settings = SearchSettings;

  /**
   * Adds the parameter `search` to the lists and counts of a resource.
   *
   * @param properties the text columns to search.
   * @param queries the DTOs of these lists and counts.
   */
  static of<Row extends ObjectLiteral>(
    resource: Resource<Row>,
    properties: readonly string[],
    ...queries: readonly Type<object>[]
  ): DynamicModule {
    for (const { prototype } of queries) Search(prototype as object, 'search');
    const index = {
      provide: `Search index of ${resource.entity.name}`,
      useFactory: (
        dataSource: DataSource,
        collection: Collection<Row>,
        { database }: Settings,
        settings: SearchSettings,
      ) => {
        const made = new SearchIndex(dataSource, collection.table, properties, database, settings);
        collection.narrowBy((scan, query) => made.narrow(scan, query));
        return made;
      },
      inject: [DataSource, collectionToken(resource.entity), Settings, SearchSettings],
    };
    return { module: SearchModule, providers: [index] };
  }
}
