import { Injectable, type OnModuleInit, type Type, Inject } from '@nestjs/common';
import { PATH_METADATA, ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { defaultMetadataStorage as transformations } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, IS_OPTIONAL } from 'class-validator';
import { RequiredScopes } from '../../auth/access.decorators.js';
import { SCOPES } from '../../auth/auth.module.js';
import type { Scope } from '../../auth/principal.js';

/** The parameters of handlers that `DtoValidationPipe` checks only as a whole. */
const WHOLE = new Map<number, string>([
  [RouteParamtypes.BODY, 'Body'],
  [RouteParamtypes.QUERY, 'Query'],
]);

const BUILT_IN = new Set<unknown>([Object, Array, String, Number, Boolean, BigInt, Date]);

/** The names of the fields that `@ApiProperty()` documents, each after a colon. */
const API_PROPERTIES = 'swagger/apiModelPropertiesArray';

/** Refuses to start with a handler that takes values unchecked, or that nobody can have the scope for. */
@Injectable()
export class HandlerCheck implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    @Inject(SCOPES) private readonly scopes: readonly Scope[],
  ) {}

  onModuleInit(): void {
    for (const { metatype } of this.discovery.getControllers()) {
      const { prototype } = metatype as { prototype: Record<string, Function> };
      for (const name of this.scanner.getAllMethodNames(prototype)) {
        const handler = prototype[name];
        if (handler === undefined || !Reflect.hasMetadata(PATH_METADATA, handler)) continue;
        this.assertScopes(metatype as Type<object>, handler);
        assertParameters(metatype as Type<object>, name);
      }
    }
  }

  private assertScopes(controller: Type<object>, handler: Function): void {
    const required = this.reflector.getAllAndOverride(RequiredScopes, [handler, controller]) ?? [];
    const unknown = required.flat().find((scope) => !this.scopes.includes(scope));
    if (unknown !== undefined)
      throw new Error(
        `${controller.name}.${handler.name} requires ${unknown}, which nobody can have: add it to the scopes of a module.`,
      );
  }
}

function assertParameters(controller: Type<object>, name: string): void {
  const prototype = controller.prototype as object;
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<
    string,
    { index: number; data?: string }
  >;
  const types = (Reflect.getMetadata('design:paramtypes', prototype, name) ?? []) as Type<object>[];
  for (const [key, { index, data }] of Object.entries(parameters)) {
    const where = `${controller.name}.${name}`;
    if (key.startsWith(`${RouteParamtypes.PARAM}:`) && data === undefined)
      throw new Error(`${where} takes @Param() unchecked: write @Param() with the name of each parameter.`);
    const decorator = WHOLE.get(Number.parseInt(key, 10));
    if (decorator === undefined || !key.includes(':') || key.includes('__')) continue;
    if (data !== undefined)
      throw new Error(
        `${where} takes @${decorator}('${data}') unchecked: write @${decorator}() with a class whose fields have validators.`,
      );
    try {
      assertChecked(types[index] ?? Object);
    } catch (error) {
      throw new Error(`${where} takes @${decorator}() unchecked: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
}

/** @throws Error when a DTO would let a value in unchecked, change it, or drop it. */
function assertChecked(dto: Type<object>, seen = new Set<unknown>()): void {
  if (seen.has(dto)) return;
  seen.add(dto);
  const validations = BUILT_IN.has(dto)
    ? []
    : getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  if (validations.length === 0)
    throw new Error(`${dto.name} has no validators: use a class whose fields have them.`);
  const names = new Set(validations.map(({ propertyName }) => propertyName));
  const documented = (Reflect.getMetadata(API_PROPERTIES, dto.prototype as object) ?? []) as string[];
  const unchecked = documented.find((name) => !names.has(name.slice(1)));
  if (unchecked !== undefined)
    throw new Error(`${dto.name}${unchecked.replace(':', '.')} has no validator, so it would be dropped.`);
  for (const { name, propertyName } of validations)
    if (name === IS_OPTIONAL)
      throw new Error(
        `${dto.name}.${propertyName} lets null in by @IsOptional(): use @MayBeAbsent(), or MergePatchType() for a patch.`,
      );
  for (const name of names) {
    const type: unknown = transformations
      .findTypeMetadata(dto, name)
      ?.typeFunction({ newObject: {}, object: {}, property: name });
    if (BUILT_IN.has(type))
      throw new Error(
        `${dto.name}.${name} takes anything for a ${(type as { name: string }).name} by @Type(): use ` +
          '@IsTimestamp(), @IsCalendarDay(), @IsInt64() or @IsIntegerParameter().',
      );
    if (type !== undefined) assertChecked(type as Type<object>, seen);
  }
}
