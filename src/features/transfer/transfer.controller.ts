import { Controller, Get, Post, Res, type Type, UseGuards } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ObjectLiteral } from 'typeorm';
import { Caller, RequireScope } from '../../kernel/auth/access.decorators.js';
import type { Principal } from '../../kernel/auth/principal.js';
import { ErrorValue } from '../../kernel/errors/error-value.js';
import { assertMediaType, NDJSON } from '../../kernel/http/body/media-types.js';
import { exchangeOf } from '../../kernel/http/connection/exchange.js';
import { streamBody } from '../../kernel/http/body/read-body.js';
import { sendLines } from '../../kernel/http/body/send-lines.js';
import { TokenWatchGuard } from '../../kernel/http/pipeline/token-watch.guard.js';
import { Endpoint } from '../../kernel/openapi/endpoint.decorator.js';
import type { Collection } from '../../kernel/resource/collection.js';
import { examplesOf, fieldsOf, namesOf, type Resource } from '../../kernel/resource/resource.js';
import { scopesOf, visibleTo } from '../../kernel/resource/resource-access.js';
import { invalidParameter } from '../../kernel/resource/resource-errors.js';
import { linesSchema } from '../../kernel/resource/resource.decorators.js';
import { InjectCollection } from '../../kernel/resource/resource.module.js';
import { exportLines, ImportResultDto, importLines } from './transfers.js';

/** The memory of an import in bytes: a part of the body, an incomplete line, and results. */
const IMPORT_BYTES = 262_144;

/** Makes the controller of `POST /plants/import` and `GET /plants/export` for a resource. */
export function transferOf<Row extends ObjectLiteral>(resource: Resource<Row>): Type<unknown> {
  const { entity, dto, newDto, lineDto = newDto } = resource;
  const { name, Name, noun, key } = namesOf(resource);
  const line = getSchemaPath(lineDto);
  const examples = examplesOf(resource);
  // What the service sets is in the lines of an export alone.
  const required = fieldsOf(dto).filter(({ documented }) => documented.required !== false);
  const exported = {
    ...Object.fromEntries(required.map((field) => [field.name, field.documented.example])),
    ...examples[0],
  };
  const file = `${name}.ndjson`;

  @ApiTags(name)
  @Controller(name)
  @UseGuards(TokenWatchGuard)
  class TransferController {
    constructor(@InjectCollection(entity) private readonly collection: Collection<Row>) {}

    @Post('import')
    @RequireScope(...scopesOf(resource, 'write'))
    @ApiExtraModels(ImportResultDto, lineDto)
    @ApiConsumes(NDJSON)
    @ApiBody({ schema: linesSchema({ $ref: line }), examples: { lines: { value: ndjson(examples) } } })
    @Endpoint({
      id: `import${Name}`,
      summary: `Create many ${name}`,
      description:
        `Takes any number of lines, each a ${line.slice(line.lastIndexOf('/') + 1)}, and returns one ImportResult per line, in the same order, while the request is still ` +
        'being sent: read while you send. A refused line does not affect the others; empty lines are skipped.',
      returns: {
        description:
          'The result of each line; the schema describes one. A response that breaks off says nothing about the lines after its last.',
        content: {
          [NDJSON]: {
            schema: { $ref: getSchemaPath(ImportResultDto) },
            example: { line: 2, status: 409, error: 40900, message: `${key} 2 belongs to another ${noun}.` },
          },
        },
      },
      errors: [ErrorValue.UnsupportedMediaType],
    })
    async import(@Res() response: Response, @Caller() caller: Principal): Promise<void> {
      const collection = visibleTo(caller, this.collection);
      assertMediaType(response.req, [NDJSON]);
      exchangeOf(response).hold(IMPORT_BYTES);
      const results = importLines(collection, streamBody(response), lineDto);
      const lines = async function* () {
        for await (const some of results) yield ndjson(some);
      };
      await sendLines(response, lines(), { 'Content-Type': NDJSON });
    }

    @Get('export')
    @RequireScope(...scopesOf(resource, 'read'))
    @ApiExtraModels(dto)
    @Endpoint({
      id: `export${Name}`,
      summary: `Read all ${name}`,
      description: `Returns every ${noun} as it is when the export begins, in ascending ${key}, as lines that an import takes.`,
      returns: {
        description: 'One per line; the schema describes one. A response that breaks off is incomplete.',
        headers: {
          'Content-Disposition': {
            description: 'Suggests a file name.',
            schema: { type: 'string' },
            required: true,
          },
        },
        content: {
          [NDJSON]: { schema: { $ref: getSchemaPath(dto) }, example: exported },
        },
      },
      errors: [ErrorValue.InvalidParameter],
    })
    async export(@Res() response: Response, @Caller() caller: Principal): Promise<void> {
      const unknown = Object.keys(response.req.query).map((parameter) => `${parameter} is unknown`);
      if (unknown.length > 0) throw invalidParameter(unknown.join('; '));
      const collection = visibleTo(caller, this.collection);
      const disposition = `attachment; filename="${file}"`;
      const headers = { 'Content-Type': NDJSON, 'Content-Disposition': disposition };
      if (response.req.method === 'HEAD') response.writeHead(200, headers).end();
      else await sendLines(response, exportLines(collection), headers);
    }
  }
  return TransferController;
}

function ndjson(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
