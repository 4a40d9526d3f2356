import { type Insertable, type Selectable, sql } from 'kysely';
import type {
  StoreAnswer,
  StoreItem,
  StoreListNamespaces,
  StoreOperation,
  StorePut,
  StoreSearch,
} from '../../../../runtime/protocol/protocol.ts';
import { invalid } from '../../../http/errors.ts';
import { asMember, isOther, isSame, memberOf, similarityTo } from '../../../storage/dialect-expressions.ts';
import type { StateDatabase } from '../../../storage/state-database.ts';
import type { StoreItemTable, StoreVectorTable } from '../../../storage/state-schema.ts';
import { parseStored } from '../../../storage/stored-json.ts';
import { toVectorBytes } from '../../../storage/vectors.ts';
import { embeddedTexts } from './embedded-texts.ts';
import { comparisons } from './item-filter.ts';

type ItemRow = Selectable<StoreItemTable>;

/**
 * Separates the labels of a stored namespace, so that the namespaces below a prefix are a range of one
 * column.
 */
const SEPARATOR = '\u001f';
/** The character after the separator, which ends that range. */
const AFTER_SEPARATOR = '\u0020';
const MINUTE_MS = 60_000;
/** A hundred years: longer times to live could exceed the latest date. */
const MAX_LIFETIME_MS = 100 * 365 * 86_400_000;

/**
 * The maximum total bytes of namespace, key and field, because PostgreSQL's indexes limit a row to 2,704
 * bytes.
 */
const MAX_NAME_BYTES = 2_500;

/** Semantic search settings (`store.index` of langgraph.json). */
export interface StoreIndex {
  readonly dimensions: number;
  readonly fields: readonly string[];
  embed(texts: readonly string[]): Promise<number[][]>;
}

/** The settings in `store` of langgraph.json. */
export interface StoreSettings {
  readonly index: StoreIndex | undefined;
  /** The time to live of items that do not set their own, in minutes. */
  readonly defaultTtl: number | undefined;
  readonly refreshOnRead: boolean;
}

const PLAIN: StoreSettings = { index: undefined, defaultTtl: undefined, refreshOnRead: true };

/** The long-term memory of one deployment: items in hierarchical namespaces. */
export class ItemStore {
  readonly #db: StateDatabase;
  readonly #deploymentId: string;
  readonly #settings: () => StoreSettings;

  /** @param settings read at every operation, because they may change while the deployment is served. */
  constructor(db: StateDatabase, deploymentId: string, settings: () => StoreSettings = () => PLAIN) {
    this.#db = db;
    this.#deploymentId = deploymentId;
    this.#settings = settings;
  }

  /** Executes operations of graphs in order, like LangGraph's `BaseStore.batch`. */
  async batch(operations: readonly StoreOperation[]): Promise<StoreAnswer[]> {
    const answers: StoreAnswer[] = [];
    for (const operation of operations) answers.push(await this.#db.outlasting(() => this.#apply(operation)));
    return answers;
  }

  async #apply(operation: StoreOperation): Promise<StoreAnswer> {
    switch (operation.op) {
      case 'get':
        return {
          op: 'get',
          item: await this.get(operation.namespace, operation.key, operation.refresh_ttl),
        };
      case 'put':
        await this.put(operation);
        return { op: 'put' };
      case 'search':
        return { op: 'search', items: await this.search(operation) };
      case 'list_namespaces':
        return { op: 'list_namespaces', namespaces: await this.listNamespaces(operation) };
    }
  }

  /** Reads an item, and renews its time to live if `refresh` or the settings say so. */
  async get(
    namespace: readonly string[],
    key: string,
    refresh: boolean | undefined,
  ): Promise<StoreItem | null> {
    const row = await this.#selectLive()
      .selectAll()
      .where('namespace', '=', join(namespace))
      .where('key', '=', key)
      .executeTakeFirst();
    if (row === undefined) return null;
    if (refresh ?? this.#settings().refreshOnRead) await this.#refresh([row]);
    return toItem(row);
  }

  /** Stores or replaces an item; a null value deletes it. */
  async put(operation: StorePut): Promise<void> {
    const namespace = join(operation.namespace);
    if (operation.value === null) return this.#delete(namespace, operation.key);
    const { index, defaultTtl } = this.#settings();
    checkNames(namespace, operation.key);
    // Embedding happens before the transaction, because it may take seconds.
    const vectors = await embedFields(index, operation);
    for (const { field } of vectors) checkNames(namespace, operation.key, field);
    const minutes = operation.ttl ?? defaultTtl ?? null;
    const item = {
      value: JSON.stringify(operation.value),
      ttl_minutes: minutes,
      expires_at: expiry(minutes),
    };
    await this.#store({ namespace, key: operation.key }, item, vectors);
  }

  async #delete(namespace: string, key: string): Promise<void> {
    await this.#db
      .deleteFrom('store_items')
      .where('deployment_id', '=', this.#deploymentId)
      .where('namespace', '=', namespace)
      .where('key', '=', key)
      .execute();
  }

  /** Stores or replaces an item and its vectors. */
  async #store(
    place: Pick<ItemRow, 'namespace' | 'key'>,
    item: Pick<Insertable<StoreItemTable>, 'value' | 'ttl_minutes' | 'expires_at'>,
    vectors: readonly EmbeddedField[],
  ): Promise<void> {
    const now = new Date().toISOString();
    const changed = { ...item, updated_at: now };
    const id = { deployment_id: this.#deploymentId, ...place };
    await this.#db.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('store_items')
        .values({ ...id, created_at: now, ...changed })
        .onConflict((conflict) =>
          conflict.columns(['deployment_id', 'namespace', 'key']).doUpdateSet(changed),
        )
        .execute();
      await transaction
        .deleteFrom('store_vectors')
        .where('deployment_id', '=', id.deployment_id)
        .where('namespace', '=', id.namespace)
        .where('key', '=', id.key)
        .execute();
      if (vectors.length === 0) return;
      await transaction
        .insertInto('store_vectors')
        .values(vectors.map((vector) => ({ ...id, ...vector })))
        .execute();
    });
  }

  /**
   * Items below a namespace prefix. `filter` compares top-level fields, also with operators such as `$gt`.
   * The items are ordered by similarity if there is a query and an index, otherwise newest first.
   */
  async search(operation: Omit<StoreSearch, 'op'>): Promise<StoreItem[]> {
    const { index, refreshOnRead } = this.#settings();
    let query = this.#selectUnder(operation.namespace_prefix).selectAll('store_items');
    for (const [field, wanted] of Object.entries(operation.filter ?? {})) {
      for (const [operator, value] of comparisons(wanted)) {
        query = query.where(comparison(field, operator, value));
      }
    }
    const text = operation.query ?? '';
    const score =
      index === undefined || text === ''
        ? sql<number | null>`null`
        : selectBestSimilarity(toVectorBytes((await index.embed([text]))[0] ?? [], index.dimensions));
    const rows = await query
      .select(score.as('score'))
      .orderBy(sql`score desc nulls last`)
      .orderBy('updated_at', 'desc')
      .orderBy('key')
      .limit(operation.limit)
      .offset(operation.offset)
      .execute();
    if (operation.refresh_ttl ?? refreshOnRead) await this.#refresh(rows);
    return rows.map((row) => ({ ...toItem(row), ...(row.score === null ? {} : { score: row.score }) }));
  }

  /** Deletes expired items. */
  async sweep(): Promise<void> {
    await this.#db
      .deleteFrom('store_items')
      .where('deployment_id', '=', this.#deploymentId)
      .where('expires_at', '<=', new Date().toISOString())
      .execute();
  }

  /**
   * The namespaces of items, each cut to `max_depth` labels and listed once. The label `*` of the prefix and
   * of the suffix matches any label.
   */
  async listNamespaces(operation: Omit<StoreListNamespaces, 'op'>): Promise<string[][]> {
    const prefix = operation.prefix ?? [];
    const wildcard = prefix.indexOf('*');
    const rows = await this.#selectUnder(wildcard === -1 ? prefix : prefix.slice(0, wildcard))
      .select('namespace')
      .distinct()
      .orderBy('namespace')
      .execute();
    const matching = rows
      .map((row) => row.namespace.split(SEPARATOR))
      .filter((labels) => startsWith(labels, prefix) && endsWith(labels, operation.suffix ?? []))
      .map((labels) => (operation.max_depth === undefined ? labels : labels.slice(0, operation.max_depth)));
    const distinct = new Map(matching.map((labels) => [join(labels), labels]));
    return [...distinct.values()].slice(operation.offset, operation.offset + operation.limit);
  }

  #selectLive() {
    const now = new Date().toISOString();
    return this.#db
      .selectFrom('store_items')
      .where('deployment_id', '=', this.#deploymentId)
      .where((expression) =>
        expression.or([expression('expires_at', 'is', null), expression('expires_at', '>', now)]),
      );
  }

  #selectUnder(prefix: readonly string[]) {
    if (prefix.length === 0) return this.#selectLive();
    const exact = join(prefix);
    return this.#selectLive().where((expression) =>
      expression.or([
        expression('namespace', '=', exact),
        expression.and([
          expression('namespace', '>=', `${exact}${SEPARATOR}`),
          expression('namespace', '<', `${exact}${AFTER_SEPARATOR}`),
        ]),
      ]),
    );
  }

  async #refresh(rows: readonly ItemRow[]): Promise<void> {
    for (const row of rows) {
      if (row.ttl_minutes === null) continue;
      await this.#db
        .updateTable('store_items')
        .set({ expires_at: expiry(row.ttl_minutes) })
        .where('deployment_id', '=', this.#deploymentId)
        .where('namespace', '=', row.namespace)
        .where('key', '=', row.key)
        .execute();
    }
  }
}

/** Selects the similarity of the closest of an item's embedded texts. */
function selectBestSimilarity(query: Uint8Array) {
  return sql<number | null>`(select max(${similarityTo('vector', query)}) from store_vectors
    where store_vectors.deployment_id = store_items.deployment_id
    and store_vectors.namespace = store_items.namespace and store_vectors.key = store_items.key)`;
}

/** The path of an embedded text in its item, and its vector. */
type EmbeddedField = Pick<StoreVectorTable, 'field' | 'vector'>;

/** Embeds the texts of an item; none without an index, or if the operation excludes the item from it. */
async function embedFields(
  index: StoreIndex | undefined,
  { value, index: paths }: StorePut,
): Promise<EmbeddedField[]> {
  if (index === undefined || paths === false) return [];
  const texts = embeddedTexts(value, paths ?? index.fields);
  if (texts.length === 0) return [];
  const vectors = await index.embed(texts.map(({ text }) => text));
  return texts.map(({ field }, at) => ({
    field,
    vector: toVectorBytes(vectors[at] ?? [], index.dimensions),
  }));
}

/** @throws HttpError 422 for names that contain a null character, or that are too long together. */
function checkNames(namespace: string, key: string, field = ''): void {
  if (`${namespace}${key}`.includes('\0'))
    throw invalid(['body', 'key'], 'Namespace and key must not contain null characters.');
  const bytes = Buffer.byteLength(namespace + key + field);
  if (bytes <= MAX_NAME_BYTES) return;
  const what = field === '' ? 'Namespace and key' : `Namespace, key and the path '${field}' of index`;
  throw invalid(
    ['body', 'key'],
    `${what} must have at most ${MAX_NAME_BYTES} bytes together, not ${bytes}.`,
    'too_long',
  );
}

/** A namespace as it is stored. @throws HttpError 422 for a label that contains the separator. */
function join(namespace: readonly string[]): string {
  if (namespace.some((label) => label.includes(SEPARATOR)))
    throw invalid(['body', 'namespace'], 'Namespace labels must not contain the control character U+001F.');
  return namespace.join(SEPARATOR);
}

function expiry(minutes: number | null): string | null {
  const lifetimeMs = Math.min((minutes ?? 0) * MINUTE_MS, MAX_LIFETIME_MS);
  return minutes === null ? null : new Date(Date.now() + lifetimeMs).toISOString();
}

function toItem(row: ItemRow): StoreItem {
  return {
    namespace: row.namespace.split(SEPARATOR),
    key: row.key,
    value: parseStored(row.value),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

function comparison(field: string, operator: string, value: unknown) {
  const stored = memberOf('value', field);
  const given = asMember(value);
  switch (operator) {
    case '$ne':
      return isOther(stored, given);
    case '$gt':
      return sql<boolean>`${stored} > ${given}`;
    case '$gte':
      return sql<boolean>`${stored} >= ${given}`;
    case '$lt':
      return sql<boolean>`${stored} < ${given}`;
    case '$lte':
      return sql<boolean>`${stored} <= ${given}`;
    default:
      return isSame(stored, given);
  }
}

/** Whether a namespace begins with a prefix, in which the label `*` matches any single label. */
function startsWith(labels: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length <= labels.length && prefix.every((label, at) => label === '*' || label === labels[at]);
}

function endsWith(labels: readonly string[], suffix: readonly string[]): boolean {
  return startsWith(labels.toReversed(), suffix.toReversed());
}
