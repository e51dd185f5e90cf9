import type { INestApplicationContext, Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ObjectLiteral } from 'typeorm';
import type { Configuration } from './config/configuration.js';
import type { Resource } from './resource/resource.js';

/** A module of `features.ts`: what Nest does not know of it, it declares as static members. */
export interface Feature extends Type<unknown> {
  /** Its variables: properties with `@Variable()`. Nest provides the instance everywhere. */
  readonly settings?: Type<object>;
  /** Whether the service has it; with all settings by default. */
  isOn?(configuration: Configuration): boolean;
  /** The group of its operations in the contract. */
  readonly tag?: { readonly name: string; readonly description: string };
  /** The scopes that its operations require. */
  readonly scopes?: readonly string[];
  /** Paths of health probes, whose successes are logged at `debug`. */
  readonly probes?: readonly string[];
  /** What it stores. */
  readonly resource?: Resource<ObjectLiteral>;
  /** Adds to the contract what does not follow from its operations. */
  describe?(
    contract: OpenAPIObject,
    service: INestApplicationContext,
    resources: readonly Resource<ObjectLiteral>[],
  ): void;
}
