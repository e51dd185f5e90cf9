import express from 'express';
import { describe, expect, test } from 'vitest';
import { pathShower } from './show-path.js';

const application = express();
for (const path of ['/', '/plants', '/plants/export', '/plants/:id', '/openapi.json']) {
  application.get(path, (_request, response) => void response.end());
}
const showPath = pathShower(application.router);

describe('the path in the log', () => {
  test.for([
    ['/', '/'],
    ['/plants', '/plants'],
    ['/plants?token=secret', '/plants'],
    ['/plants/', '/plants/'],
    ['/plants/export', '/plants/export'],
    ['/openapi.json', '/openapi.json'],
    ['/plants/7', '/plants/7'],
    ['/plants/-9223372036854775808', '/plants/-9223372036854775808'],
    ['/plants/12345678901234567890', '/plants/…'],
    ['/plants/pst_secret', '/plants/…'],
    ['/plants/:id', '/plants/…'],
    ['/plants/7/secret', '/plants/7/…'],
    ['/nowhere/secret', '/…/…'],
    ['//user:secret@host/plants', '//…/plants'],
    ['/%70lants/secret%31', '/…/…'],
    ['/plants#secret', '/…'],
    ['secret:443', '…'],
    ['*', '…'],
  ] as const)('of %s is %s', ([target, path]) => {
    expect(showPath(target)).toBe(path);
  });
});
