import type { INestApplicationContext, Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Command } from 'commander';
import type { DataSource, ObjectLiteral } from 'typeorm';
import type { Scope } from './auth/principal.js';
import type { CommandLine } from './cli/command-line.js';
import type { Configuration } from './config/configuration.js';
import type { Resource } from './resource/resource.js';

/** A module of `features.ts`: what Nest does not know of it, it declares as static members. */
export interface Feature extends Type<unknown> {
  /** Its variables: properties with `@Variable()`. Nest provides the instance everywhere. */
  readonly settings?: Type<object>;
  /** Whether the service has it with these settings; by default with all. @throws ConfigurationError if they are not valid. */
  isOn?(configuration: Configuration, scopes: readonly Scope[]): boolean;
  /** The group of its operations in the contract. */
  readonly tag?: { readonly name: string; readonly description: string };
  /** The scopes that its operations require. */
  readonly scopes?: readonly Scope[];
  /** Whether it accepts access tokens that the store does not have. */
  readonly acceptsTokens?: boolean;
  /** The path of a page for people. The first one is where `/` leads browsers. */
  readonly page?: string;
  /** Paths of health probes, whose successes are logged at `debug`. */
  readonly probes?: readonly string[];
  /** Whether commands that read or write resources need it too, because it says where their rows are. */
  readonly placesRows?: boolean;
  /** What it stores, with the tag as its name. */
  readonly resource?: Resource<ObjectLiteral>;
  /** Adds to the contract what does not follow from its operations. */
  describe?(contract: OpenAPIObject, service: INestApplicationContext): void;
  /** Adds its commands to `plant-store`. */
  addCommands?(program: Command, commandLine: CommandLine): void;
  /** What the doctor says of it. The schema is that of this version. */
  examine?(dataSource: DataSource, configuration: Configuration): AsyncIterable<Finding>;
}

/** What the doctor found in one place. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  /** One sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
}
