import {
  BadRequestException,
  ConflictException,
  InternalServerErrorException,
  NotFoundException,
} from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import { describe, expect, test } from 'vitest';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';
import { toApiException } from './error.filter.js';

const SECRET = 'a text that is nobody else’s business';

function queryFailure(code: string): QueryFailedError {
  return new QueryFailedError('INSERT', [SECRET], Object.assign(new Error(SECRET), { code }));
}

test.for([
  [new ConflictException('Comments are closed.'), 40999],
  [new NotFoundException('There is no such comment.'), 40499],
  [new BadRequestException('after must come before until.'), 40002],
] as const)('an exception of NestJS keeps its text: %s', ([thrown, error]) => {
  expect(toApiException(thrown)).toMatchObject({ error, message: thrown.message });
});

describe('the answer to what was thrown', () => {
  test.for([
    ['an exception of ours', new ApiException(ErrorValue.IdTaken, 'Taken.'), 40900, 409],
    ['a failure that NestJS reports', new InternalServerErrorException(SECRET), 50000, 500],
    ['a locked database', queryFailure('SQLITE_BUSY'), 50300, 503],
    ['a full disk', queryFailure('SQLITE_FULL'), 50300, 503],
    ['a bad statement', queryFailure('SQLITE_ERROR'), 50000, 500],
    ['an error', new TypeError(SECRET), 50000, 500],
    ['anything else', SECRET, 50000, 500],
  ] as const)('is right for %s, and tells nothing of it', ([, thrown, error, status]) => {
    const answer = toApiException(thrown);

    expect(answer.getStatus()).toBe(status);
    expect(answer.error).toBe(error);
    expect(answer.message).not.toContain(SECRET);
  });
});
