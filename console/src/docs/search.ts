import { alternativesOf, fieldsOf, linesOf, type Operation, type Schema } from './contract.ts';

/** A parameter, a field, a header or an error value of an operation. */
interface Part {
  /** The end of its address. */
  readonly anchor: string;
  readonly name: string;
  readonly text: string;
}

export interface Hit {
  readonly operation: Operation;
  readonly parts: readonly Part[];
}

/** The operations that have all words in their name or path, or otherwise together with some of their parts. */
export function search(operations: readonly Operation[], query: string): Hit[] {
  const wanted = wordsOf(query);
  return operations.flatMap((operation) => {
    const { method, path, summary, operationId } = operation;
    const title = wordsOf(`${method} ${path} ${summary} ${operationId}`);
    if (wanted.every((word) => isIn(word, title))) return [{ operation, parts: [] }];
    const parts = partsOf(operation).filter(({ name }) => {
      const words = wordsOf(name);
      return (
        wanted.some((word) => isIn(word, words)) && wanted.every((word) => isIn(word, [...title, ...words]))
      );
    });
    return parts.length > 0 ? [{ operation, parts }] : [];
  });
}

function isIn(beginning: string, words: readonly string[]): boolean {
  return words.some((word) => word.startsWith(beginning));
}

/** The words of a text; a name such as `createPlant` has three, one of them whole. */
function wordsOf(text: string): string[] {
  const apart = text.replaceAll(/([a-z])(?=[A-Z])/g, '$1 ');
  return `${text} ${apart}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

const part = (anchor: string, name: string, text = name): Part => ({ anchor, name, text });

function partsOf({ parameters = [], requestBody, responses }: Operation): Part[] {
  const all = [
    ...parameters.map(({ name }) => part(name, name)),
    ...Object.values(requestBody?.content ?? {}).flatMap(({ schema = {} }) =>
      fieldsOf(schema).flatMap((field) => namesIn(field).map((name) => part(`body.${field.name}`, name))),
    ),
    ...Object.entries(responses).flatMap(([status, { description, headers = {}, content = {} }]) => {
      const errors = linesOf(description).flatMap(({ value, text }) =>
        value === undefined ? [] : [part(value, value, `${value} ${text}`)],
      );
      if (errors.length > 0) return errors;
      const fields = Object.values(content).flatMap(({ schema = {} }) =>
        fieldsOf(schema).flatMap((field) => namesIn(field)),
      );
      return [...Object.keys(headers), ...fields].map((name) => part(status, name, `${name} (${status})`));
    }),
  ];
  return [...new Map(all.map((each) => [each.text, each])).values()];
}

/** The name of a field, and those of what it contains, at most three deep: a schema may contain itself. */
function namesIn({ name, schema = {} }: { readonly name: string; readonly schema?: Schema }): string[] {
  const inner = [schema, ...alternativesOf(schema)].flatMap(fieldsOf);
  const isDeep = name.split('.').length > 2;
  return [
    name,
    ...(isDeep ? [] : inner.flatMap((field) => namesIn({ ...field, name: `${name}.${field.name}` }))),
  ];
}
