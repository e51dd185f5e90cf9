import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf, parametersOf, schemaOf } from './operations.js';

/** Gives every parameter the example of its schema, which is where some tools look for it and others do not. */
export function describeExamples(document: OpenAPIObject): void {
  for (const [, operation] of operationsOf(document)) {
    for (const parameter of parametersOf(operation)) {
      const { example } = schemaOf(parameter) as { readonly example?: unknown };
      if (example !== undefined) parameter.example = example;
    }
  }
}
