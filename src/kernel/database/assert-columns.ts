import type { DataSource } from 'typeorm';
import { DatabaseStartError } from './database-start.error.js';

const COLUMNS = {
  postgres: `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
    WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`,
  sqlite: 'SELECT name, type FROM pragma_table_info(?)',
};

/** The types of SQLite that hold the same values (https://sqlite.org/datatype3.html). */
const KINDS = [
  /INT|BOOL/i,
  /CHAR|CLOB|TEXT|DATE|TIME|JSON|ENUM|UUID|ARRAY/i,
  /BLOB|BYTE/i,
  /REAL|FLOA|DOUB/i,
];

const TEXTS = new Set(['text', 'character varying']);

const BYTES = new Set(['BLOB', 'bytea']);

/** Depends on the time zone of each process. */
const LOCAL_TIME = 'timestamp without time zone';

/** @throws DatabaseStartError when a registered entity has a column that the database lacks, has in another type, or would lose a part of. */
export async function assertColumns(dataSource: DataSource): Promise<void> {
  const isPostgres = dataSource.options.type === 'postgres';
  for (const { name: entity, tableType, tableName, tablePath, columns } of dataSource.entityMetadatas) {
    if (tableType === 'view') continue;
    const found = await dataSource.query<{ name: string; type: string }[]>(
      isPostgres ? COLUMNS.postgres : COLUMNS.sqlite,
      [isPostgres ? dataSource.driver.escape(tablePath) : tableName],
    );
    if (found.length === 0)
      throw wrong(`has no table ${tableName} of ${entity}. Is its migration in migrations/index.ts?`);
    for (const column of columns) {
      if (column.isVirtualProperty) continue;
      const type = found.find(({ name }) => name === column.databaseName)?.type;
      const place = `${tableName}.${column.databaseName}`;
      if (type === undefined)
        throw wrong(`has no column ${place} of ${entity}. Is its migration in migrations/index.ts?`);
      const declared = dataSource.driver.normalizeType(column);
      // TypeORM has no name for the bytes of both databases, and passes on what a text column gets.
      if (
        BYTES.has(type) &&
        Reflect.getMetadata('design:type', Object(column.target).prototype as object, column.propertyName) ===
          Buffer
      )
        continue;
      const isLike = isPostgres ? isSame(declared, type, column.isArray) : kindOf(declared) === kindOf(type);
      if (!isLike) throw wrong(`has ${place} as ${type}, but ${entity} declares it as ${declared}.`);
      if (type === LOCAL_TIME)
        throw wrong(
          `has ${place} as ${type}, which every time zone reads differently: use timestamptz, or text with the transformer timestamp.`,
        );
    }
  }
}

function wrong(problem: string): DatabaseStartError {
  return new DatabaseStartError(`The database ${problem}`);
}

function isSame(declared: string, type: string, isArray: boolean): boolean {
  // A type of the schema's own, such as an enum, has any name.
  return isArray || declared === 'enum' || declared === type || (TEXTS.has(declared) && TEXTS.has(type));
}

function kindOf(type: string): number {
  return KINDS.findIndex((kind) => kind.test(type));
}
