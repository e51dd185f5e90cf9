import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import 'swagger-ui-dist/index.css';

const { parse } = JSON;

/** Swagger UI parses a response to indent it: integers that a double would round keep their digits. */
JSON.parse = (text, reviver = keepDigits) => parse(text, reviver) as unknown;

function keepDigits(_name: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
    ? JSON.rawJSON(source)
    : value;
}

SwaggerUI({
  dom_id: '#docs',
  url: '../openapi.json',
  deepLinking: true,
  filter: true,
  persistAuthorization: true,
});
