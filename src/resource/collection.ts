import type { DataSource, ObjectLiteral } from 'typeorm';
import { type ApiException, unavailable } from '../errors/api.exception.js';
import type { GroupCommit } from '../store/group-commit.js';
import type { Json } from '../store/json.js';
import type { Range } from '../store/range.js';
import { MissingReferenceError, type Queries, Rows, type Written } from '../store/rows.js';
import type { Snapshots } from '../store/snapshots.js';
import type { Key, Table } from '../store/table.js';
import { entityTag } from './conditional/entity-tag.js';
import { type JsonPage, type PageQuery, readPage } from './page.js';
import type { Preconditions } from './conditional/preconditions.js';
import { type Representation, withoutNulls } from './representation.js';
import { assertDescribed, type Resource } from './resource.js';
import { idTaken, preconditionFailed, unknownResource } from './resource-errors.js';

/** What a merge patch changes (RFC 7396): what is undefined stays, null removes. */
export type Changes<Row> = { readonly [Name in keyof Row]?: Row[Name] | undefined };

/** The resources of one kind, such as all plants. What is written is on disk when the promise resolves. */
export class Collection<Row extends ObjectLiteral> {
  readonly table: Table<Row>;
  private readonly rows: Rows<Row>;
  private readonly tags = new WeakMap<Row, string>();

  /** @throws Error when the DTOs of the resource and its entity do not have the same members. */
  constructor(
    readonly resource: Resource<Row>,
    dataSource: DataSource,
    commits: GroupCommit,
    private readonly snapshots: Snapshots,
  ) {
    this.rows = new Rows(dataSource, resource.entity, commits);
    this.table = this.rows.table;
    assertDescribed(resource, this.table);
  }

  /**
   * Creates a resource.
   *
   * @throws ApiException 40900 when the id is taken, 40401 when it belongs to a resource that there is not.
   */
  async create(representation: Representation<Row>): Promise<void> {
    await this.insert(this.rowOf(representation), () => false);
  }

  /** The same, but a resource that is there already, exactly like this, is fine. */
  async createUnlessThere(representation: Representation<Row>): Promise<void> {
    const row = this.rowOf(representation);
    await this.insert(row, (current) => this.table.isEqual(row, current));
  }

  /** @throws ApiException 40401 when there is no such resource. */
  async find(key: Key): Promise<Representation<Row>> {
    const row = await this.rows.find(key);
    if (row === undefined) throw this.unknown(key);
    return withoutNulls(row);
  }

  /**
   * Creates a resource or replaces the one that has its id; tells which.
   *
   * @throws ApiException 41200 when the preconditions do not allow it, 40401 when it belongs to a resource that there is not.
   */
  async put(
    key: Key,
    content: Partial<Representation<Row>>,
    preconditions: Preconditions,
  ): Promise<{ representation: Representation<Row>; isNew: boolean }> {
    const row: Row = Object.assign(this.rowOf(content), { [this.table.key.property]: key });
    const { before } = await this.written(
      this.rows.change(key, (current) => {
        this.assertAllowed(preconditions, current);
        return row;
      }),
    );
    return { representation: withoutNulls(row), isNew: before === undefined };
  }

  /**
   * Changes some members of a resource and returns it as it is then.
   *
   * @throws ApiException 40401 when there is none, or none that it would belong to, 41200 when the preconditions do not allow it.
   */
  async patch(key: Key, changes: Changes<Row>, preconditions: Preconditions): Promise<Representation<Row>> {
    const given = Object.fromEntries(
      Object.entries(changes).filter(([, value]) => value !== undefined),
    ) as Partial<Row>;
    const { after } = await this.written(
      this.rows.change(key, (current) => {
        if (current === undefined) throw this.unknown(key);
        this.assertAllowed(preconditions, current);
        return { ...current, ...given };
      }),
    );
    return withoutNulls(after as Row);
  }

  /**
   * Deletes a resource.
   *
   * @throws ApiException 40401 when there is none, 41200 when the preconditions do not allow it.
   */
  async remove(key: Key, preconditions: Preconditions): Promise<void> {
    await this.rows.change(key, (current) => {
      if (current === undefined) throw this.unknown(key);
      this.assertAllowed(preconditions, current);
      return undefined;
    });
  }

  /** A page of the resources in a range. */
  list(range: Range, query: PageQuery): Promise<JsonPage<Representation<Row>>> {
    return readPage(this.rows, range, query);
  }

  /** All resources by their keys, some at a time; those behind `after` only. */
  async *all(queries?: Queries, after?: Key): AsyncGenerator<Json<Representation<Row>>[]> {
    const range = { order: [this.table.key.property], after: after === undefined ? undefined : [after] };
    for await (const found of this.rows.read(range, undefined, queries))
      yield found.map((stored) => this.table.json(stored));
  }

  /**
   * Reads all resources in a range, some at a time: on SQLite one statement that counts, groups or sorts a whole table stops
   * every other request.
   *
   * @param signal that of the exchange: nobody waits for the rest when it aborts.
   */
  async *read(range: Range, signal: AbortSignal): AsyncGenerator<Representation<Row>[]> {
    for await (const found of this.rows.read(range)) {
      if (signal.aborted) throw unavailable('The client has gone.');
      yield found.map((stored) => withoutNulls(this.table.decode(stored)));
    }
  }

  /**
   * How many resources are in a range, at one moment of the count.
   *
   * @param signal that of the exchange, as for `read`.
   * @throws ApiException 50300 when too many exports and counts are running.
   */
  async count(range: Range, signal: AbortSignal): Promise<number> {
    let count = 0;
    for await (const more of this.snapshots.read((queries) => this.rows.count(range, queries))) {
      if (signal.aborted) throw unavailable('The client has gone.');
      count += more;
    }
    return count;
  }

  /** The entity tag of a row, worked out once for all writes that wait for that row together. */
  private tagOf(row: Row): string {
    let tag = this.tags.get(row);
    if (tag === undefined) {
      tag = entityTag(withoutNulls(row));
      this.tags.set(row, tag);
    }
    return tag;
  }

  private rowOf(representation: ObjectLiteral): Row {
    const row: ObjectLiteral = {};
    for (const { property } of this.table.columns) row[property] = representation[property] ?? null;
    return row as Row;
  }

  /** Inserts a row, unless there is one that is fine. */
  private async insert(row: Row, isFine: (current: Row) => boolean): Promise<void> {
    await this.written(
      this.rows.insert(row, (current) => {
        if (isFine(current)) return current;
        throw idTaken(this.table.noun, this.table.keyOf(row), this.table.key.property);
      }),
    );
  }

  private unknown(key: Key): ApiException {
    return unknownResource(this.table.noun, key, this.table.key.property);
  }

  /** @throws ApiException 40401 when a resource belongs to one that there is not. */
  private async written(write: Promise<Written<Row>>): Promise<Written<Row>> {
    try {
      return await write;
    } catch (error) {
      if (!(error instanceof MissingReferenceError)) throw error;
      const { noun = '', property } = error.column.reference ?? {};
      throw unknownResource(noun, error.key, property);
    }
  }

  private assertAllowed({ ifMatch, mustNotExist }: Preconditions, current: Row | undefined): void {
    const isAllowed =
      current === undefined
        ? ifMatch === undefined
        : !mustNotExist &&
          (ifMatch === undefined || ifMatch === '*' || ifMatch.includes(this.tagOf(current)));
    if (!isAllowed) throw preconditionFailed();
  }
}
