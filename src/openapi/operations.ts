import type { OpenAPIObject } from '@nestjs/swagger';

type Resolved<Part> = Exclude<NonNullable<Part>, { readonly $ref: string }>;

/** An operation of a contract in the making, where nothing is a reference yet. */
export type PathItem = OpenAPIObject['paths'][string];
export type Operation = NonNullable<PathItem['get']>;
export type Parameter = Resolved<NonNullable<Operation['parameters']>[number]>;
export type Response = Resolved<Operation['responses'][string]>;

/** Every operation, with the path that it is of. */
export function operationsOf({ paths }: OpenAPIObject): [path: PathItem, operation: Operation][] {
  return Object.values(paths).flatMap((path) =>
    (Object.values(path) as Operation[]).map((operation): [PathItem, Operation] => [path, operation]),
  );
}

/** The parameters of an operation. */
export function parametersOf({ parameters = [] }: Operation): Parameter[] {
  return parameters as Parameter[];
}

/** The schema of a parameter, of which it has one here. */
export function schemaOf({ schema }: Parameter): SchemaObject {
  return schema as SchemaObject;
}

type SchemaObject = Resolved<Parameter['schema']>;
