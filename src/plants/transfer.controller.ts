import { Controller, Get, HttpCode, HttpStatus, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { RequireScope } from '../auth/require-scope.decorator.js';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { NDJSON } from '../http/media-types.js';
import { TokenWatchGuard } from '../http/token-watch.guard.js';
import { assertMediaType, hasBody } from '../http/read-body.js';
import { sendLines } from '../ndjson/send-lines.js';
import { ApiErrors, STORE_ERRORS } from '../openapi/api-errors.decorator.js';
import { linesOf } from '../openapi/lines-of.js';
import { ImportResultDto } from './dto/import-result.dto.js';
import { NewPlantDto } from './dto/new-plant.dto.js';
import { StoredPlantDto } from './dto/stored-plant.dto.js';
import { TransferService } from './transfer.service.js';

const AS_FILE = { 'Content-Type': NDJSON, 'Content-Disposition': 'attachment; filename="plants.ndjson"' };

const PLANTS = [
  { id: 1, name: 'Monstera deliciosa', tag: 'houseplant' },
  { id: 2, name: 'Aloe vera' },
];
const RESULTS = [
  { line: 1, status: 200 },
  { line: 2, status: 409, error: 40900, message: 'The id 2 belongs to another plant.' },
];

/** Many plants in one exchange, which streams and may take as long as it gets on. */
@ApiTags('plants')
@ApiExtraModels(ImportResultDto, NewPlantDto, StoredPlantDto)
@UseGuards(TokenWatchGuard)
@Controller('plants')
export class TransferController {
  constructor(private readonly transfer: TransferService) {}

  @Post('import')
  @HttpCode(HttpStatus.OK)
  @RequireScope('plants:write')
  @ApiOperation({
    operationId: 'importPlants',
    summary: 'Create many plants',
    description:
      'Takes one NewPlant a line, of any number, and answers one ImportResult a line, in the same order, while the request is still ' +
      'being sent: read while you send. Lines that are refused leave the others alone; empty lines are skipped.',
  })
  @ApiConsumes(NDJSON)
  @ApiBody(linesOf(NewPlantDto, PLANTS))
  @ApiOkResponse({
    description:
      'What became of each line. An answer that breaks off says nothing of the lines after its last.',
    content: { [NDJSON]: linesOf(ImportResultDto, RESULTS) },
  })
  @ApiErrors([ErrorValue.MalformedBody, ErrorValue.UnsupportedMediaType, ...STORE_ERRORS])
  async import(@Req() request: Request, @Res() response: Response): Promise<void> {
    if (!hasBody(request)) throw new ApiException(ErrorValue.MalformedBody, 'The body must not be empty.');
    assertMediaType(request, [NDJSON]);
    const { exchange } = response;
    await sendLines(exchange, this.transfer.import(exchange), { 'Content-Type': NDJSON });
  }

  @Get('export')
  @RequireScope('plants:read')
  @ApiOperation({
    operationId: 'exportPlants',
    summary: 'Read all plants',
    description:
      'Answers every plant as it is when the export begins, in ascending id, as lines that an import takes.',
  })
  @ApiOkResponse({
    description: 'One plant a line. An answer that breaks off is not whole.',
    headers: {
      'Content-Disposition': {
        description: 'Suggests a file name.',
        schema: { type: 'string' },
        required: true,
      },
    },
    content: { [NDJSON]: linesOf(StoredPlantDto, PLANTS) },
  })
  @ApiErrors(STORE_ERRORS)
  async export(@Req() request: Request, @Res() response: Response): Promise<void> {
    if (request.method === 'HEAD') response.writeHead(HttpStatus.OK, AS_FILE).end();
    else await sendLines(response.exchange, this.transfer.export(response.exchange), AS_FILE);
  }
}
