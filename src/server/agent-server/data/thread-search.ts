import type { z } from 'zod';
import type { ThreadCount, ThreadSearch } from '../../../contract/agent-server/threads.ts';
import { type JsonText, jsonArray } from '../../http/reply.ts';
import { documentContains, orderNullsLowest, withoutIndex } from '../../storage/dialect-expressions.ts';
import { isAmong } from '../../storage/is-among.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { parseStored, readStoredObject } from '../../storage/stored-json.ts';
import { readPath } from './select-paths.ts';
import { indexedValue } from './thread-store.ts';
import { columnsFor, toThread } from './thread-wire.ts';

/**
 * Up to this many matches are looked up one by one. With more, threads are read in the requested order until
 * a page is full.
 */
const MAX_FEW = 1_000;

type Filter = z.output<typeof ThreadCount> & { ids?: readonly string[] | null | undefined };

/**
 * Finds threads of one deployment. Indexes serve the status, the times and short scalars of metadata; other
 * metadata and values are compared in each document.
 */
export class ThreadSearches {
  readonly #db: StateDatabase;
  readonly #deploymentId: string;
  constructor(db: StateDatabase, deploymentId: string) {
    this.#db = db;
    this.#deploymentId = deploymentId;
  }

  /** @returns the page as JSON, and the total number of matching threads. */
  async search(request: ThreadSearch): Promise<{ page: JsonText; count: number; total: number }> {
    const select = request.select ?? undefined;
    const extract = Object.entries(request.extract ?? {});
    const needed = extract.length > 0 && select !== undefined ? [...select, 'values' as const] : select;
    const order = request.sort_order ?? 'desc';
    const rows = await (await this.#selectMatching(request))
      .select(columnsFor(needed))
      .select(['deployment_id', 'ttl_strategy', 'ttl_minutes', 'expires_at', 'run_count'])
      .orderBy(request.sort_by ?? 'created_at', orderNullsLowest(order))
      .orderBy('thread_id', order)
      .limit(request.limit)
      .offset(request.offset)
      .execute();
    const items = rows.map((row) =>
      toThread(row, {
        select,
        ...(extract.length === 0 ? {} : { extracted: extractFrom(row, extract) }),
      }),
    );
    const isComplete = request.offset === 0 && rows.length < request.limit;
    return {
      page: jsonArray(items),
      count: rows.length,
      total: isComplete ? rows.length : await this.count(request),
    };
  }

  async count(filter: Filter): Promise<number> {
    if (matchesAll(filter)) {
      const all = await this.#db
        .selectFrom('thread_counts')
        .select('threads')
        .where('deployment_id', '=', this.#deploymentId)
        .executeTakeFirst();
      return all?.threads ?? 0;
    }
    const row = await (await this.#selectMatching(filter))
      .select((expression) => expression.fn.countAll<number>().as('count'))
      .executeTakeFirst();
    return row?.count ?? 0;
  }

  async #selectMatching(filter: Filter) {
    const deploymentId = this.#deploymentId;
    const ofDeployment = (await this.#matchesFew(filter)) ? withoutIndex('deployment_id') : 'deployment_id';
    let query = this.#db.selectFrom('threads').where(ofDeployment, '=', deploymentId);
    if (filter.ids != null) query = query.where(isAmong('thread_id', filter.ids));
    if (filter.status != null) query = query.where('status', '=', filter.status);
    for (const [key, value] of Object.entries(filter.metadata ?? {})) {
      const indexed = indexedValue(key, value);
      if (indexed === undefined) {
        query = query.where(documentContains('metadata', { [key]: value }));
      } else {
        query = query.where('thread_id', 'in', (inner) =>
          inner
            .selectFrom('thread_metadata')
            .select('thread_metadata.thread_id')
            .where('deployment_id', '=', deploymentId)
            .where('key', '=', key)
            .where('value', '=', indexed),
        );
      }
    }
    if (filter.values != null && Object.keys(filter.values).length > 0) {
      query = query.where(documentContains('values', filter.values));
    }
    return query;
  }

  /** Whether one of a filter's pairs of metadata is so rare that all threads with it can be checked. */
  async #matchesFew({ metadata }: Filter): Promise<boolean> {
    for (const [key, value] of Object.entries(metadata ?? {})) {
      const indexed = indexedValue(key, value);
      if (indexed === undefined) continue;
      const found = await this.#db
        .selectFrom('thread_metadata')
        .select('thread_id')
        .where('deployment_id', '=', this.#deploymentId)
        .where('key', '=', key)
        .where('value', '=', indexed)
        .limit(1)
        .offset(MAX_FEW)
        .executeTakeFirst();
      if (found === undefined) return true;
    }
    return false;
  }
}

/** Whether a filter matches every thread. */
function matchesAll({ ids, status, metadata, values }: Filter): boolean {
  return (
    ids == null &&
    status == null &&
    Object.keys(metadata ?? {}).length === 0 &&
    Object.keys(values ?? {}).length === 0
  );
}

function extractFrom(
  row: { values?: string | null; metadata: string; config: string; interrupts: string },
  paths: readonly (readonly [string, string])[],
): Record<string, unknown> {
  const document = {
    values: parseStored(row.values ?? 'null'),
    metadata: readStoredObject(row.metadata),
    config: readStoredObject(row.config),
    interrupts: parseStored(row.interrupts),
  };
  return Object.fromEntries(paths.map(([alias, path]) => [alias, readPath(document, path) ?? null]));
}
