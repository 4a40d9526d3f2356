import type { Insertable } from 'kysely';
import type { LogPage, LogQuery } from '../../../contract/control-plane/logs.ts';
import type { LogLevel } from '../../../contract/fields.ts';
import { invalid } from '../../http/errors.ts';
import type { Logger } from '../../logger.ts';
import { containsText } from '../../storage/contains-text.ts';
import type { DeploymentLogTable } from '../../storage/control-plane-schema.ts';
import { PreparedQuery } from '../../storage/prepared-query.ts';
import type { StateDatabase } from '../../storage/state-database.ts';

/** How long lines are collected before they are stored together. */
const GATHER_MS = 50;
const MAX_MESSAGE_CHARS = 16_384;
/** How many lines are kept per deployment and stream; older ones are deleted. */
const MAX_LINES = 50_000;
/** A deployment's lines are pruned each time that it has written this many. */
const LINES_PER_PRUNING = 5_000;

/** The deployment, revision and log that a line belongs to. */
interface LogPlace {
  readonly deploymentId: string;
  /** The revision that wrote the line; null if it is unknown. */
  readonly revisionId: string | null;
  readonly stream: 'build' | 'deploy';
}

interface Line extends LogPlace {
  readonly at: number;
  readonly level: LogLevel;
  readonly message: string;
}

/** Inserts a line, unless its deployment has been deleted. */
const insertLine = new PreparedQuery<Insertable<DeploymentLogTable>>((db, value) =>
  db
    .insertInto('deployment_logs')
    .columns(['deployment_id', 'revision_id', 'stream', 'at', 'level', 'message'])
    .expression(
      db
        .selectFrom('deployments')
        .select([
          'id',
          value('revision_id').as('revision_id'),
          value('stream').as('stream'),
          value('at').as('at'),
          value('level').as('level'),
          value('message').as('message'),
        ])
        .where('id', '=', value('deployment_id')),
    ),
);

/** Stored build and deploy logs; lines that arrive together are written together. */
export class LogStore {
  readonly #db: StateDatabase;
  readonly #logger: Logger;
  readonly #mask: (text: string) => string;
  #pending: Line[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** How many lines each deployment has written since its lines were pruned, by its ID. */
  readonly #unpruned = new Map<string, number>();

  /** @param mask masks the machine's own keys in a line. */
  constructor(db: StateDatabase, logger: Logger, mask: (text: string) => string = (text) => text) {
    this.#mask = mask;
    this.#db = db;
    this.#logger = logger;
  }

  write(place: LogPlace, level: LogLevel, line: string): void {
    // The line is masked before it is cut, so that no part of a key is left.
    const message = this.#mask(line);
    const text =
      message.length <= MAX_MESSAGE_CHARS ? message : `${message.slice(0, MAX_MESSAGE_CHARS)} … (cut)`;
    this.#pending.push({ ...place, at: Date.now(), level, message: text });
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  /**
   * Stores the lines received so far. Never rejects: lines that cannot be stored are lost, and the error is
   * logged.
   */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#pending;
    this.#pending = [];
    this.#writing = this.#writing.then(() => this.#store(lines));
    return this.#writing;
  }

  /**
   * Reads a page of lines, including those that have just been written.
   * @throws HttpError 422 for an `offset` that is not a whole number
   */
  async read(
    place: { deploymentId: string; revisionId?: string; stream: 'build' | 'deploy' },
    query: LogQuery,
  ): Promise<LogPage> {
    await this.flush();
    let rows = this.#db
      .selectFrom('deployment_logs')
      .selectAll()
      .where('deployment_id', '=', place.deploymentId)
      .where('stream', '=', place.stream);
    if (place.revisionId !== undefined) rows = rows.where('revision_id', '=', place.revisionId);
    if (query.level) rows = rows.where('level', '=', query.level);
    if (query.query) rows = rows.where(containsText('message', query.query));
    if (query.start_time) rows = rows.where('at', '>=', Date.parse(query.start_time));
    if (query.end_time) rows = rows.where('at', '<=', Date.parse(query.end_time));
    if (query.offset != null) {
      const after = query.offset.trim() === '' ? Number.NaN : Number(query.offset);
      if (!Number.isSafeInteger(after))
        throw invalid(['body', 'offset'], 'Must be next_offset of an earlier response.');
      rows = rows.where('id', query.order === 'asc' ? '>' : '<', after);
    }
    const found = await rows.orderBy('id', query.order).limit(query.limit).execute();
    const last = found.at(-1);
    return {
      logs: found.map(({ id, at, level, message }) => ({ id: String(id), timestamp: at, level, message })),
      // Followers continue from this offset, even if it is unchanged.
      next_offset: last === undefined ? (query.offset ?? null) : String(last.id),
    };
  }

  async #store(lines: readonly Line[]): Promise<void> {
    if (lines.length === 0) return;
    try {
      for (const [deploymentId, own] of Map.groupBy(lines, (line) => line.deploymentId)) {
        // A line gets its number when it is inserted, because readers continue after the highest number they have read.
        await this.#db.commit((unit) => {
          for (const { deploymentId: deployment_id, revisionId: revision_id, ...line } of own)
            unit.run(insertLine, { deployment_id, revision_id, ...line });
        }, `logs:${deploymentId}`);
        const unpruned = (this.#unpruned.get(deploymentId) ?? 0) + own.length;
        this.#unpruned.set(deploymentId, unpruned);
        if (unpruned >= LINES_PER_PRUNING) await this.#prune(deploymentId);
      }
    } catch (error) {
      this.#logger.error({ err: error }, 'could not store log lines');
    }
  }

  /** Deletes the oldest lines of a deployment. */
  async #prune(deploymentId: string): Promise<void> {
    this.#unpruned.delete(deploymentId);
    for (const stream of ['build', 'deploy'] as const) {
      const newestToDelete = await this.#db
        .selectFrom('deployment_logs')
        .select('id')
        .where('deployment_id', '=', deploymentId)
        .where('stream', '=', stream)
        .orderBy('id', 'desc')
        .offset(MAX_LINES)
        .limit(1)
        .executeTakeFirst();
      if (newestToDelete === undefined) continue;
      await this.#db
        .deleteFrom('deployment_logs')
        .where('deployment_id', '=', deploymentId)
        .where('stream', '=', stream)
        .where('id', '<=', newestToDelete.id)
        .execute();
    }
  }
}
