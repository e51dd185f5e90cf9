import type { DataSource, EntityTarget, ObjectLiteral, ValueTransformer } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { int64, timestamp } from '../database/column-types.js';
import { type Queries, run, type Statement } from './queries.js';

export type Key = bigint | string;

/** Sorts by keys, so that instances that write the same rows cannot deadlock. */
export function inOrder<Item>(items: readonly Item[], keyOf: (item: Item) => Key): Item[] {
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

export interface Column {
  /** Its name in the entity. */
  readonly property: string;
  /** In quotes. */
  readonly name: string;
  /** The type to which SQL casts a parameter for it. */
  readonly type: string;
  readonly isNullable: boolean;
  /** Whether it is stored and never sent (`select: false`). */
  readonly isHidden: boolean;
  readonly encode: (value: unknown) => unknown;
  readonly decode: (stored: unknown) => unknown;
}

/** The types of columns by their names in TypeORM. */
const TYPES: Readonly<Record<string, string>> = {
  bigint: 'BIGINT',
  text: 'TEXT',
  'double precision': 'DOUBLE PRECISION',
  boolean: 'BOOLEAN',
};

/** Doubles hold every integer of at most 15 digits. */
const HAS_LONG_INTEGER = /\d{16}/;

/** The callers who write rows, by the keys of the rows; undefined outside of a request. */
export type Writers = ReadonlyMap<Key, { readonly by: string | undefined }>;

export type RunWrite = (queries: Queries, statement: Statement, writers: Writers) => Promise<ObjectLiteral[]>;

/** Describes the table of an entity, by the metadata of TypeORM. */
export class Table<Row extends ObjectLiteral> {
  /** In quotes. */
  readonly name: string;
  /** Such as `plant`. */
  readonly noun: string;
  readonly isPostgres: boolean;
  readonly columns: readonly Column[];
  readonly key: Column;
  readonly others: readonly Column[];
  /** The properties that are stored and never sent. */
  readonly hidden: readonly string[];
  /** Runs a statement that writes rows and ends with `RETURNING` and its columns. */
  runWrite: RunWrite = run;
  /** The SQL for the JSON of a row. */
  readonly json: string;

  /** @throws Error when the entity has a column that the store cannot keep exactly. */
  constructor(dataSource: DataSource, entity: EntityTarget<Row>) {
    const metadata = dataSource.getMetadata(entity);
    if (metadata.deleteDateColumn !== undefined)
      throw new Error(
        `${metadata.name} must have no @DeleteDateColumn: lists and changes would show what is deleted.`,
      );
    this.isPostgres = dataSource.options.type === 'postgres';
    this.name = quoted(metadata.tableName);
    this.noun = metadata.name.toLowerCase();
    this.columns = metadata.ownColumns.map((column) => describe(column, this.isPostgres));
    const [key, ...more] = metadata.primaryColumns;
    if (key === undefined || more.length > 0)
      throw new Error(`${metadata.name} must have one primary column.`);
    const isKey = ({ property }: Column) => property === key.propertyName;
    this.key = this.columns.find(isKey) as Column;
    this.others = this.columns.filter((column) => !isKey(column));
    this.hidden = this.columns.filter(({ isHidden }) => isHidden).map(({ property }) => property);
    this.json = this.jsonOf('');
  }

  /** Replaces how statements that write rows run, to tell the database who writes. For features. */
  runWritesBy(runWrite: RunWrite): void {
    this.runWrite = runWrite;
  }

  /**
   * An expression of SQL: the JSON of a row, without hidden fields and fields that have no value. If the database writes the
   * JSON, the service handles one text for a row, or for many.
   *
   * @param row names the row, as in `new.`.
   */
  jsonOf(row: string): string {
    const valueOf = (column: Column) => jsonOf({ ...column, name: row + column.name }, this.isPostgres);
    const members = this.others
      .filter(({ isHidden }) => !isHidden)
      .map((column) => {
        const member = `',"${column.property}":' || ${valueOf(column)}`;
        return `|| ${column.isNullable ? `CASE WHEN ${row}${column.name} IS NULL THEN '' ELSE ${member} END` : member}`;
      })
      .join(' ');
    return `'{"${this.key.property}":' || ${valueOf(this.key)} ${members} || '}'`;
  }

  keyOf(row: Row): Key {
    return row[this.key.property] as Key;
  }

  decodeKey(stored: ObjectLiteral): Key {
    return this.key.decode(stored[this.key.property]) as Key;
  }

  column(property: string): Column {
    const column = this.columns.find((candidate) => candidate.property === property);
    if (column === undefined) throw new Error(`${this.noun} has no column for ${property}.`);
    return column;
  }

  decode(stored: ObjectLiteral): Row {
    const row: ObjectLiteral = {};
    for (const { property, decode } of this.columns) row[property] = decode(stored[property]);
    return row as Row;
  }

  /** Parses the JSON of a row to the values that the driver would return. A field without a value is absent. */
  parse(json: string): ObjectLiteral {
    // A reviver takes ten times as long.
    return JSON.parse(json, HAS_LONG_INTEGER.test(json) ? digitsOf : undefined) as ObjectLiteral;
  }

  /** The characters of a stored row's texts. */
  lengthOf(stored: ObjectLiteral): number {
    let length = 0;
    for (const { property } of this.columns) {
      const value: unknown = stored[property];
      if (typeof value === 'string') length += value.length;
    }
    return length;
  }

  isEqual(a: Row, b: Row): boolean {
    return this.columns.every(({ property, encode }) => encode(a[property]) === encode(b[property]));
  }
}

function describe(column: ColumnMetadata, isPostgres: boolean): Column {
  const name = `${column.entityMetadata.name}.${column.propertyName}`;
  if (column.isVirtual)
    throw new Error(
      `${name} is a relation. Its column ${column.databaseName} needs a property of its own, with @Column().`,
    );
  const type = TYPES[String(column.type)];
  if (type === undefined)
    throw new Error(`${name} must be of one of the types ${Object.keys(TYPES).join(', ')}.`);
  if (column.default !== undefined)
    throw new Error(`${name} must have no default: give one to its DTO, or to \`initial\` of its resource.`);
  if (!column.isSelect && !column.isNullable)
    throw new Error(
      `${name} is hidden by select: false, so it must be nullable: an import has no value for it.`,
    );
  const transformer = column.transformer as ValueTransformer | undefined;
  if (transformer !== undefined && transformer !== int64 && transformer !== timestamp)
    throw new Error(`${name} must have no transformer but int64 and timestamp.`);
  // Otherwise, lists would return other values than reads.
  if ((type === 'BIGINT') !== (transformer === int64))
    throw new Error(`${name} must be of the type bigint with the transformer int64, or have neither.`);
  const to = transformer?.to.bind(transformer) ?? ((value: unknown) => value);
  // SQLite has no booleans, and the numbers of a parsed row are texts.
  const convert = type === 'BOOLEAN' ? Boolean : type === 'DOUBLE PRECISION' ? Number : undefined;
  const plain = (value: unknown) => (convert === undefined || value === null ? value : convert(value));
  const from = transformer?.from.bind(transformer) ?? plain;
  return {
    property: column.propertyName,
    name: quoted(column.databaseName),
    type,
    isNullable: column.isNullable,
    isHidden: !column.isSelect,
    encode: (value) => {
      const encoded: unknown = to(value) ?? null;
      return isPostgres && typeof encoded === 'bigint' ? String(encoded) : encoded;
    },
    decode: from,
  };
}

/** The SQL for the JSON of a value that is not null. */
function jsonOf({ name, type }: Column, isPostgres: boolean): string {
  if (type === 'BIGINT') return `CAST(${name} AS TEXT)`;
  if (type === 'BOOLEAN') return `CASE WHEN ${name} THEN 'true' ELSE 'false' END`;
  // `json_quote` writes 120.0 where JavaScript writes 120.
  if (type === 'DOUBLE PRECISION' && !isPostgres)
    return `CASE WHEN abs(${name}) < 1e15 AND ${name} = CAST(${name} AS INTEGER) THEN CAST(CAST(${name} AS INTEGER) AS TEXT) ELSE json_quote(${name}) END`;
  return isPostgres ? `CAST(to_json(${name}) AS TEXT)` : `json_quote(${name})`;
}

function digitsOf(_name: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  return typeof value === 'number' ? source : value;
}

function quoted(name: string): string {
  return `"${name}"`;
}
