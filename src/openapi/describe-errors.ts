import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { insufficientScope, unauthorized } from '../auth/challenge.js';
import { ErrorDto } from '../errors/error.dto.js';
import { ErrorValue, statusOf } from '../errors/error-value.js';
import { tooManyRequests } from '../limits/too-many-requests.js';
import { wrongMediaType } from '../http/body/media-types.js';
import { tooLarge } from '../http/body/read-body.js';
import { HEADERS_TOO_LARGE, REQUEST_TIMEOUT } from '../http/connection/raw-answer.js';
import { methodNotAllowed, withImplied } from '../http/server/unknown-routes.js';
import { VIOLATIONS } from '../http/pipeline/error.filter.js';
import { INT64_MAX, INT64_MIN } from '../validation/is-int64.js';
import { CAUSES, type DocumentedError, ERRORS_EXTENSION, type OperationError } from './documented-errors.js';
import { scopesOf } from './describe-access.js';
import {
  type Operation,
  operationsOf,
  parametersOf,
  type PathItem,
  type Response,
  schemaOf,
} from './operations.js';

/** What any operation answers, because it is decided before. */
const ERRORS_OF_ALL = [
  ErrorValue.RequestTimeout,
  ErrorValue.HeadersTooLarge,
  ErrorValue.Unavailable,
] as const satisfies SelfEvidentError[];

/** What any operation answers that needs an access token. */
const ERRORS_OF_TOKENS = [ErrorValue.TooManyRequests] as const satisfies SelfEvidentError[];

/** The message that comes with an error, where that follows from the operation or is always the same. */
const MESSAGES = {
  [ErrorValue.MalformedBody]: () => 'The body must be valid JSON.',
  [ErrorValue.InvalidParameter]: problemOfParameter,
  [ErrorValue.MissingToken]: () => unauthorized('Bearer').message,
  [ErrorValue.InvalidToken]: () => unauthorized('Bearer error="invalid_token"').message,
  [ErrorValue.InsufficientScope]: (operation) => insufficientScope(scopesOf(operation) ?? [], []).message,
  [ErrorValue.RequestTimeout]: () => REQUEST_TIMEOUT[1],
  [ErrorValue.NotUnique]: () => VIOLATIONS.unique[1],
  [ErrorValue.StillReferenced]: () => VIOLATIONS['still referenced'][1],
  [ErrorValue.BodyTooLarge]: () => tooLarge().message,
  [ErrorValue.UnsupportedMediaType]: (operation) => wrongMediaType(mediaTypesOf(operation)),
  [ErrorValue.TooManyRequests]: () => tooManyRequests(1).message,
  [ErrorValue.HeadersTooLarge]: () => HEADERS_TOO_LARGE[1],
  [ErrorValue.Unexpected]: () => 'An unexpected error happened.',
  [ErrorValue.Unavailable]: () => 'The service is stopping.',
} satisfies Messages;

type Messages = Partial<Record<DocumentedError, (operation: Operation) => string>>;

/** An error whose message nobody has to give. */
export type SelfEvidentError = keyof typeof MESSAGES;

const TEXT = { type: 'string' } as const;
const CHALLENGE = {
  'WWW-Authenticate': { description: 'The challenge of RFC 6750.', schema: TEXT, required: true },
};
const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' }, required: true },
} as const;
const HEADERS: Readonly<Record<number, NonNullable<Response['headers']>>> = {
  401: CHALLENGE,
  403: CHALLENGE,
  405: { Allow: { description: 'The methods of the path.', schema: TEXT, required: true } },
  429: {
    ...RETRY_AFTER,
    RateLimit: { description: 'What is left of the rate limit, if the token has one.', schema: TEXT },
    'RateLimit-Policy': { description: 'The rate limit, if the token has one.', schema: TEXT },
  },
  503: RETRY_AFTER,
};

/** Makes responses of the errors of every operation: its own (`ApiErrors`), and those that a client of any may get. */
export function describeErrors(document: OpenAPIObject): void {
  for (const [path, operation] of operationsOf(document)) {
    const { [ERRORS_EXTENSION]: own = [] } = operation as { [ERRORS_EXTENSION]?: OperationError[] };
    Reflect.deleteProperty(operation, ERRORS_EXTENSION);
    const errors = [
      ...own,
      ...[...ERRORS_OF_ALL, ...(scopesOf(operation) === null ? [] : ERRORS_OF_TOKENS)].map((error) => ({
        error,
        status: statusOf(error),
      })),
      refusedMethod(path),
    ];
    for (const [status, ofStatus = []] of Object.entries(Object.groupBy(errors, (error) => error.status)))
      operation.responses[status] = responseOf(operation, Number(status), ofStatus);
  }
}

function responseOf(operation: Operation, status: number, errors: readonly OperationError[]): Response {
  return {
    description: sentence(errors.map(({ error }) => `${CAUSES[error]} (${error})`).join('; ')),
    headers: HEADERS[status] ?? {},
    content: {
      'application/json': {
        schema: { $ref: getSchemaPath(ErrorDto) },
        examples: Object.fromEntries(
          errors.map(({ error, message = (MESSAGES as Messages)[error]?.(operation) }) => [
            error,
            { summary: CAUSES[error], value: { error, message } },
          ]),
        ),
      },
    },
  };
}

/** 405, which OpenAPI cannot say of a path, only of the operations that it has. */
function refusedMethod(path: PathItem): OperationError {
  const { error, message } = methodNotAllowed(
    withImplied(Object.keys(path).map((name) => name.toUpperCase())),
  );
  return { error: ErrorValue.MethodNotAllowed, status: statusOf(error), message };
}

function problemOfParameter(operation: Operation): string {
  const integer = parametersOf(operation).find((parameter) => schemaOf(parameter).type === 'integer');
  if (integer === undefined) return 'The path or a parameter is not valid.';
  const { minimum = INT64_MIN, maximum = INT64_MAX } = schemaOf(integer);
  return `A parameter is not valid: ${integer.name} must be an integer from ${minimum} to ${maximum}.`;
}

function mediaTypesOf({ requestBody }: Operation): string[] {
  return requestBody !== undefined && 'content' in requestBody ? Object.keys(requestBody.content) : [];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
