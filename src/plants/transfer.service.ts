import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Settings } from '../config/settings.js';
import { snapshotOptions } from '../database/data-source-options.js';
import { MAX_BATCH } from '../database/group-commit.js';
import { ApiException } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { logException } from '../errors/log-exception.js';
import { toApiException } from '../errors/to-api-exception.js';
import { unavailable } from '../errors/unavailable.js';
import type { Exchange } from '../http/connection/exchange.js';
import { streamBody } from '../http/read-body.js';
import { type Line, linesOf } from '../ndjson/lines.js';
import type { ImportResultDto } from './dto/import-result.dto.js';
import { formatPlantLine, parsePlantLine } from './plant-lines.js';
import { PlantsService } from './plants.service.js';
import { type PlantRow, readPlants } from './read-plants.js';

/** Exports that run at a time at most: each holds a snapshot that the database has to keep. */
const MAX_EXPORTS = 4;

/** Bytes that an import holds besides a long line: the part of the body that it works on, and the answers to that. */
const IMPORT_BYTES = 65_536;

/** Bytes that an export holds: the plants that it has read and not sent yet. */
const EXPORT_BYTES = 1_048_576;

/** Characters from which on lines of an export are sent. */
const TEXT_LENGTH = 65_536;

/** Moves many plants in and out, as lines of NDJSON, in bounded memory. */
@Injectable()
export class TransferService implements OnApplicationShutdown {
  private readonly logger = new Logger(TransferService.name);
  /** Each resolves when an export has closed its connection. */
  private readonly exports = new Set<Promise<void>>();
  /** Lines of one import that are written at a time: more would fill the queue that it shares with everyone. */
  private readonly batchLength: number;
  /** On PostgreSQL each export has a connection of the pool, and half of them are for everyone else. */
  private readonly maxExports: number;

  constructor(
    private readonly plants: PlantsService,
    private readonly dataSource: DataSource,
    private readonly settings: Settings,
  ) {
    const { database, writeQueueLimit } = settings;
    this.batchLength = Math.min(MAX_BATCH, writeQueueLimit);
    this.maxExports =
      database.type === 'postgres' ? Math.min(MAX_EXPORTS, Math.floor(database.poolSize / 2)) : MAX_EXPORTS;
  }

  /**
   * Creates the plants of lines, and yields a line for each, in order: an ImportResult. A line that is refused leaves the
   * others alone.
   *
   * @throws ApiException 40000 when there is no line, 50300 when it takes more memory than there is.
   */
  async *import(exchange: Exchange): AsyncGenerator<string, void> {
    exchange.hold(IMPORT_BYTES);
    const lines = linesOf(streamBody(exchange), {
      limit: this.settings.bodyLimit,
      together: this.batchLength,
      onHold: (bytes) => exchange.hold(bytes),
    });
    let isEmpty = true;
    for await (const batch of lines) {
      isEmpty = false;
      yield await this.importBatch(batch);
    }
    if (isEmpty) throw new ApiException(ErrorValue.MalformedBody, 'The body must not be empty.');
  }

  /**
   * Yields every plant, in ascending id, as the store is when the first ones are read.
   *
   * @throws ApiException 50300 when too many exports are running.
   */
  async *export(exchange: Exchange): AsyncGenerator<string, void> {
    const { database } = this.settings;
    exchange.hold(EXPORT_BYTES);
    if (this.exports.size >= this.maxExports) throw unavailable('Too many exports are running.');
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    this.exports.add(closed);
    try {
      // On SQLite a transaction belongs to the connection, of which the service has one.
      const own = database.type === 'sqlite' ? new DataSource(snapshotOptions(database)) : undefined;
      await own?.initialize();
      try {
        for await (const rows of readPlants(own ?? this.dataSource)) yield* textsOf(rows);
      } finally {
        await own?.destroy();
      }
    } finally {
      this.exports.delete(closed);
      close();
    }
  }

  /** What was being exported when its client was cut off has let go of the database before the service ends. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.exports);
  }

  private async importBatch(lines: readonly Line[]): Promise<string> {
    const failures = new Map<unknown, ApiException>();
    const results = await Promise.all(
      lines.map(async (line): Promise<ImportResultDto> => {
        try {
          await this.plants.create(await parsePlantLine(line));
          return { line: line.number, status: 200 };
        } catch (error) {
          const exception = toApiException(error);
          failures.set(exception.cause, exception);
          return {
            line: line.number,
            status: exception.getStatus(),
            error: exception.error,
            message: exception.message,
          };
        }
      }),
    );
    // Lines that fail together have one cause.
    for (const exception of failures.values()) logException(this.logger, exception);
    return results.map((result) => `${JSON.stringify(result)}\n`).join('');
  }
}

/** The lines of plants, together as long as they are short: a text of large ones would be long. */
function* textsOf(rows: readonly PlantRow[]): Generator<string> {
  let text = '';
  for (const row of rows) {
    text += formatPlantLine(row);
    if (text.length < TEXT_LENGTH) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
