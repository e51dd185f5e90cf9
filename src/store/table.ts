import type { DataSource, EntityTarget, ObjectLiteral, ValueTransformer } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { int64 } from '../database/column-types.js';

export type Key = bigint | string;

export interface Column {
  /** Its name in the entity. */
  readonly property: string;
  /** In quotes. */
  readonly name: string;
  /** The type to which SQL casts a parameter for it. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly encode: (value: unknown) => unknown;
  readonly decode: (stored: unknown) => unknown;
  /** The JSON of a value of a result, which is not null. */
  readonly json: (stored: unknown) => string;
}

/** The types of columns by their names in TypeORM. */
const TYPES: Readonly<Record<string, string>> = {
  bigint: 'BIGINT',
  text: 'TEXT',
  'double precision': 'DOUBLE PRECISION',
  boolean: 'BOOLEAN',
};

/** A value as the JSON that is sent: the service writes it once, straight from the values of the driver. */
export class Json<Value> {
  /** Only for the type: the value of which the text is the JSON. */
  declare readonly value?: Value;

  constructor(readonly text: string) {}

  static list<Item>(items: readonly Json<Item>[]): Json<Item[]> {
    return new Json(`[${items.map(({ text }) => text).join()}]`);
  }
}

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

  /** @throws Error when the entity has a column that the store cannot keep exactly. */
  constructor(dataSource: DataSource, entity: EntityTarget<Row>) {
    const metadata = dataSource.getMetadata(entity);
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

  /** The JSON of a row of a result, in which a field without a value is absent. */
  json(stored: ObjectLiteral): Json<Row> {
    let text = '';
    for (const { property, json } of this.columns) {
      const value: unknown = stored[property];
      if (value !== null) text += `${text === '' ? '{' : ','}"${property}":${json(value)}`;
    }
    return new Json(`${text}}`);
  }

  isEqual(a: Row, b: Row): boolean {
    return this.columns.every(({ property, encode }) => encode(a[property]) === encode(b[property]));
  }
}

function describe(column: ColumnMetadata, isPostgres: boolean): Column {
  const type = TYPES[String(column.type)];
  if (type === undefined) {
    throw new Error(
      `${column.entityMetadata.name}.${column.propertyName} must be of one of the types ${Object.keys(TYPES).join(', ')}.`,
    );
  }
  if (column.default !== undefined) {
    throw new Error(
      `${column.entityMetadata.name}.${column.propertyName} must have no default: give one to its DTO.`,
    );
  }
  const transformer = column.transformer as ValueTransformer | undefined;
  const to = transformer?.to.bind(transformer) ?? ((value: unknown) => value);
  // SQLite has no booleans.
  const plain = (value: unknown) => (type === 'BOOLEAN' && value !== null ? Boolean(value) : value);
  const from = transformer?.from.bind(transformer) ?? plain;
  return {
    property: column.propertyName,
    name: quoted(column.databaseName),
    type,
    isNullable: column.isNullable,
    encode: (value) => {
      const encoded: unknown = to(value) ?? null;
      return isPostgres && typeof encoded === 'bigint' ? String(encoded) : encoded;
    },
    decode: from,
    json: jsonOf(type, transformer, from),
  };
}

/** An int64 comes as its digits, and a text that nothing transforms as it is. */
function jsonOf(
  type: string,
  transformer: ValueTransformer | undefined,
  decode: Column['decode'],
): Column['json'] {
  if (type === 'BIGINT' && (transformer === undefined || transformer === int64)) return String;
  if (transformer === undefined && type === 'TEXT') return (stored) => JSON.stringify(stored);
  return (stored) => {
    const value = decode(stored);
    return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
  };
}

function quoted(name: string): string {
  return `"${name}"`;
}
