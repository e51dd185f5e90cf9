import type { DataSource, ObjectLiteral } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { ApiException, unavailable } from '../errors/api.exception.js';
import { ErrorValue } from '../errors/error-value.js';
import { ChangeFeed } from '../store/changes/change-feed.js';
import { type ChangeFeeds, Followers } from '../store/changes/followers.js';
import type { GroupCommit } from '../store/group-commit.js';
import type { Range, RowsAsJson } from '../store/range.js';
import type { Decide, Written } from '../store/place.js';
import { Rows } from '../store/rows.js';
import { SearchIndex } from '../store/search/search-index.js';
import type { Snapshots } from '../store/snapshots.js';
import { type Key, type Table } from '../store/table.js';
import { entityTag, type Preconditions } from './conditional-requests.js';
import { type CollectionQuery, type JsonPage, readPage } from './page.js';
import { assertDescribed, type Representation, type Resource, withoutNulls } from './resource.js';
import {
  idTaken,
  invalidParameter,
  ofOperation,
  preconditionFailed,
  unknownResource,
} from './resource-errors.js';

/** A merge patch (RFC 7396): an undefined field stays, null removes it. */
export type Changes<Row> = { readonly [Name in keyof Row]?: Row[Name] | undefined };

/** A write of one resource. */
export interface Operation {
  readonly kind: 'create' | 'put' | 'patch' | 'delete';
  readonly key: Key;
  /** Its fields as the client has sent them; those of a patch are `Changes`. */
  readonly content?: ObjectLiteral;
  readonly preconditions: Preconditions;
}

/**
 * The resources of one kind, such as all plants. A write is on disk when its promise resolves. What breaks a rule of the
 * database, such as a foreign key, is thrown as TypeORM throws it.
 */
export class Collection<Row extends ObjectLiteral> {
  readonly table: Table<Row>;
  private readonly rows: Rows<Row>;
  private readonly searchIndex: SearchIndex<Row> | undefined;
  private readonly followers: Followers | undefined;

  /** @throws Error when the DTOs of the resource and its entity have different fields. */
  constructor(
    readonly resource: Resource<Row>,
    dataSource: DataSource,
    commits: GroupCommit,
    private readonly snapshots: Snapshots,
    feeds: ChangeFeeds,
    settings: Settings,
  ) {
    this.rows = new Rows(dataSource, resource.entity, commits);
    this.table = this.rows.table;
    assertDescribed(resource, this.table);
    if (resource.searched !== undefined)
      this.searchIndex = new SearchIndex(dataSource, this.table, resource.searched, settings);
    if (!resource.hasChanges) return;
    this.followers = new Followers(new ChangeFeed(dataSource, this.table, settings));
    if (this.followers.feed.isOn) feeds.set(this.followers.feed.resource, this.followers);
  }

  /**
   * Makes the triggers of changes, and the index of searches in the background, or removes them.
   *
   * @throws DatabaseStartError if the database cannot have them.
   */
  async prepare(): Promise<void> {
    await this.followers?.feed.begin();
    await this.searchIndex?.begin();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.followers?.stop();
    await this.searchIndex?.stop();
  }

  /** The changes. @throws ApiException 41000 when none are kept. */
  get changes(): Followers {
    if (!this.followers?.feed.isOn)
      throw new ApiException(ErrorValue.ChangeNotKept, 'The service keeps no changes.');
    return this.followers;
  }

  /** @throws ApiException 40900 when the id is taken, unless `mayExist` and the resource is exactly this one. */
  async create(representation: Representation<Row>, { mayExist = false } = {}): Promise<void> {
    const row = this.rowOf(representation);
    const insert: Decide<Row> = (current) => {
      if (current === undefined) return row;
      if (mayExist && this.table.isEqual(row, current)) return current;
      throw this.taken(row, current);
    };
    await this.rows.change(this.table.keyOf(row), insert, true);
  }

  /** @throws ApiException 40401 when the resource does not exist. */
  async find(key: Key): Promise<Representation<Row>> {
    const row = await this.rows.find(key);
    if (row === undefined) throw this.unknown(key);
    return withoutNulls(row);
  }

  /**
   * Creates a resource or replaces the one that has its id; tells which.
   *
   * @throws ApiException 41200 when a precondition fails.
   */
  async put(
    key: Key,
    content: Partial<Representation<Row>>,
    preconditions: Preconditions,
  ): Promise<{ representation: Representation<Row>; isNew: boolean }> {
    const { before, after } = await this.rows.change(
      key,
      this.decisionOf({ kind: 'put', key, content, preconditions }),
    );
    return { representation: withoutNulls(after as Row), isNew: before === undefined };
  }

  /**
   * Changes some fields of a resource and returns the result.
   *
   * @throws ApiException 40401 when the resource does not exist, 41200 when a precondition fails.
   */
  async patch(key: Key, changes: Changes<Row>, preconditions: Preconditions): Promise<Representation<Row>> {
    const { after } = await this.rows.change(
      key,
      this.decisionOf({ kind: 'patch', key, content: changes, preconditions }),
    );
    return withoutNulls(after as Row);
  }

  /** @throws ApiException 40401 when the resource does not exist, 41200 when a precondition fails. */
  async remove(key: Key, preconditions: Preconditions): Promise<void> {
    await this.rows.change(key, this.decisionOf({ kind: 'delete', key, preconditions }));
  }

  /**
   * Does all operations, each on the result of those before, or none. Tells what each resource was and is.
   *
   * @throws ApiException what the first operation that is refused would throw alone, with its number in the message.
   */
  batch(operations: readonly Operation[]): Promise<Written<Row>[]> {
    const changes = operations.map((operation, index) => {
      const decide = this.decisionOf(operation);
      const decideInBatch: Decide<Row> = (current) => {
        try {
          return decide(current);
        } catch (thrown) {
          throw ofOperation(index, thrown);
        }
      };
      return { key: operation.key, decide: decideInBatch };
    });
    return this.rows.changeAll(changes);
  }

  /** Finds resources by their keys: in the order of the keys, each once, without those that do not exist. */
  async findAll(keys: readonly Key[]): Promise<Representation<Row>[]> {
    const found = await Promise.all([...new Set(keys)].map((key) => this.rows.find(key)));
    return found.flatMap((row) => (row === undefined ? [] : [withoutNulls<Row>(row)]));
  }

  /**
   * The range of a search, in the order of ids.
   *
   * @throws ApiException 40002 when searches are off, 50300 while their index is built.
   */
  search(text: string): Range {
    const index = this.searchIndex;
    if (!index?.isOn) throw invalidParameter('search needs the setting SEARCH=on of the service');
    if (!index.isBuilt) throw unavailable('The index of searches is being built.');
    return { order: [this.table.key.property], search: index.search(text.trim().split(/\s+/)) };
  }

  /** @throws ApiException 40002 when the cursor is not one of this range, 50300 when too much is exported and counted. */
  async list(range: Range, query: CollectionQuery): Promise<JsonPage<Representation<Row>>> {
    const { total: isCounted = false } = query;
    if (!isCounted && range.search === undefined) return readPage(this.rows, range, query);
    // A page of a client may need several lists at once.
    return this.snapshots.readOnce(async (queries) => {
      const page = await readPage(this.rows, range, query, queries);
      return isCounted ? { ...page, total: await this.rows.count(range, queries) } : page;
    }, true);
  }

  /** Reads the JSON of all resources at one moment in the order of their keys, some at a time. */
  all(): AsyncGenerator<RowsAsJson, void> {
    const range = { order: [this.table.key.property] };
    return this.snapshots.read((queries) => this.rows.read(range, undefined, queries));
  }

  /**
   * Counts the resources in a range at one moment.
   *
   * @throws ApiException 50300 when too many exports, counts and searches are running.
   */
  count(range: Range): Promise<number> {
    return this.snapshots.readOnce((queries) => this.rows.count(range, queries));
  }

  private rowOf(representation: ObjectLiteral): Row {
    const row: ObjectLiteral = {};
    for (const { property } of this.table.columns) row[property] = representation[property] ?? null;
    return row as Row;
  }

  private decisionOf({ kind, key, content = {}, preconditions }: Operation): Decide<Row> {
    if (kind === 'create' || kind === 'put') {
      const row: Row = Object.assign(this.rowOf(content), { [this.table.key.property]: key });
      return (current) => {
        if (kind === 'create' && current !== undefined) throw this.taken(row, current);
        this.assertAllowed(preconditions, current);
        return row;
      };
    }
    const given = Object.fromEntries(
      Object.entries(content).filter(([, value]) => value !== undefined),
    ) as Partial<Row>;
    return (current) => {
      if (current === undefined) throw this.unknown(key);
      this.assertAllowed(preconditions, current);
      return kind === 'delete' ? undefined : { ...current, ...given };
    };
  }

  private taken(row: Row, current: Row): ApiException {
    const { noun, key } = this.table;
    return idTaken(noun, this.table.keyOf(row), key.property, this.table.isEqual(row, current));
  }

  private unknown(key: Key): ApiException {
    return unknownResource(this.table.noun, key, this.table.key.property);
  }

  private assertAllowed({ ifMatch, mustNotExist }: Preconditions, current: Row | undefined): void {
    const isAllowed =
      current === undefined
        ? ifMatch === undefined
        : !mustNotExist &&
          (ifMatch === undefined || ifMatch === '*' || ifMatch.includes(entityTag(withoutNulls(current))));
    if (!isAllowed) throw preconditionFailed();
  }
}
