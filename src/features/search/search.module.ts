import { Module } from '@nestjs/common';
import { SearchSettings } from './search.settings.js';

@Module({})
export class SearchModule {
  static readonly settings = SearchSettings;
}
