import type { INestApplicationContext, Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Command } from 'commander';
import type { ObjectLiteral } from 'typeorm';
import type { Scope } from '../auth/principal.js';
import type { CommandLine } from '../cli/command-line.js';
import type { Configuration } from '../config/configuration.js';
import type { SchemaServer } from '../database/open-data-source.js';
import type { Resource } from '../resource/resource.js';

/**
 * A module of `features.ts`. Its static members declare what Nest does not know about. `Collection.narrowBy()` and
 * `Table.runWritesBy()` let it narrow lists and tell the database who writes.
 */
export interface Feature extends Type<unknown> {
  /** Its class of settings, whose properties have `@Variable()`. Nest injects the instance everywhere. */
  readonly settings?: Type<object>;
  /** Whether these settings enable it; by default, all do. @throws ConfigurationError if they are not valid. */
  isOn?(configuration: Configuration, scopes: readonly Scope[]): boolean;
  /** The group of its operations in the contract. */
  readonly tag?: { readonly name: string; readonly description: string };
  /** The scopes that its operations require. */
  readonly scopes?: readonly Scope[];
  /** Whether it accepts access tokens that are not in the store. */
  readonly acceptsTokens?: boolean;
  /** The path of a page for people. The first one is where `/` leads browsers. */
  readonly page?: string;
  /** Paths of health probes, whose successes are logged at `debug`. */
  readonly probes?: readonly string[];
  /** Whether commands that read or write resources load it too, because it decides where rows are stored. */
  readonly placesRows?: boolean;
  /** The server that runs migrations, if the one of these queries does not. */
  readonly schemaServer?: SchemaServer;
  /** Its resource, which has the name of `tag`. */
  readonly resource?: Resource<ObjectLiteral>;
  /** Adds to the contract what does not follow from its operations. */
  describe?(contract: OpenAPIObject, service: INestApplicationContext): void;
  /** Adds its commands to `plant-store`. */
  addCommands?(program: Command, commandLine: CommandLine): void;
}
