import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Selectable, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { audit } from '../../contract/audit.ts';
import type { Endpoint, Query } from '../../contract/endpoint.ts';
import type { JsonObject } from '../../contract/fields.ts';
import { isObject } from '../../process/objects.ts';
import { type Caller, keyIdOf, requester } from '../http/caller.ts';
import type { AuditedEnd, ValidatedCall } from '../http/dispatch.ts';
import type { Logger } from '../logger.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import type { AuditEventTable } from '../storage/state-schema.ts';
import { readStoredObject } from '../storage/stored-json.ts';
import { auditedAction } from './audited-actions.ts';

/** The number of events that are read at a time. */
const EVENTS_AT_ONCE = 500;
/** The limits of recorded fields: characters of a text, and items of a list. */
const MAX_CHARS = 200;
const MAX_ITEMS = 100;

type AuditQuery = Query<(typeof audit)['list']>;

/**
 * Stores each audited action before it is carried out, and its status afterwards. An event without a status
 * was cut off, so the action may or may not have been carried out.
 */
export class AuditLog {
  readonly #db: StateDatabase;
  readonly #logger: Logger;
  /** Returns for how many days a workspace's events are kept; null means forever. */
  readonly #keptDays: (workspaceId: string) => Promise<number | null>;

  constructor(
    db: StateDatabase,
    { logger, keptDays }: { logger: Logger; keptDays: (workspaceId: string) => Promise<number | null> },
  ) {
    this.#db = db;
    this.#logger = logger;
    this.#keptDays = keptDays;
  }

  /**
   * Begins an event, if a request is audited.
   * @returns a function that stores how it ended, and never fails.
   */
  async begin(endpoint: Endpoint, call: ValidatedCall): Promise<AuditedEnd | undefined> {
    const audited = auditedAction(endpoint);
    if (audited === undefined) return undefined;
    const { caller } = call;
    const id = uuidv7();
    const subject = subjectOf(call, audited.fields);
    await this.#insert(id, caller, { action: audited.action, subject });
    return async (status, result) => {
      const createdId = idOf(result);
      await this.#db
        .updateTable('audit_events')
        .set({
          status,
          ...(createdId === undefined ? {} : { subject: JSON.stringify({ ...subject, id: createdId }) }),
        })
        .where('id', '=', id)
        .execute()
        // The action has been carried out, and the event already says that it was begun.
        .catch((err: unknown) =>
          this.#logger.error({ err, event: id }, 'could not store how an audited action ended'),
        );
      const { workspaceId } = caller;
      await this.#removeOld(workspaceId)
        // The next event removes them.
        .catch((err: unknown) =>
          this.#logger.error({ err, workspaceId }, 'could not remove old audit events'),
        );
    };
  }

  async #insert(
    id: string,
    caller: Caller,
    { action, subject }: { readonly action: string; readonly subject: JsonObject },
  ): Promise<void> {
    const keyId = keyIdOf(caller) ?? null;
    await this.#db
      .insertInto('audit_events')
      .values({
        id,
        organization_id: caller.organizationId,
        workspace_id: caller.workspaceId,
        at: new Date().toISOString(),
        actor: requester(caller) ?? caller.by.kind,
        actor_name: sql<string | null>`(select name from api_keys where id = ${keyId})`,
        action,
        subject: JSON.stringify(subject),
        status: null,
      })
      .execute();
  }

  /** Removes events that a workspace no longer keeps. */
  async #removeOld(workspaceId: string): Promise<void> {
    const days = await this.#keptDays(workspaceId);
    if (days === null) return;
    await this.#db
      .deleteFrom('audit_events')
      .where('workspace_id', '=', workspaceId)
      .where('at', '<', new Date(Date.now() - days * 86_400_000).toISOString())
      .execute();
  }

  /**
   * Writes the events of the caller's workspace, one per line; for the owner, also those that belong to no
   * workspace.
   */
  async write(caller: Caller, query: AuditQuery, response: ServerResponse): Promise<void> {
    if (query.limit !== undefined) {
      const newest = await this.#select(caller, query).orderBy('id', 'desc').limit(query.limit).execute();
      response.end(newest.toReversed().map(lineOf).join(''));
      return;
    }
    const closed = new Promise((resolve) => response.once('close', resolve));
    for (let after = ''; !response.destroyed; ) {
      const rows = await this.#select(caller, query)
        .where('id', '>', after)
        .orderBy('id')
        .limit(EVENTS_AT_ONCE)
        .execute();
      if (!response.write(rows.map(lineOf).join('')) && !response.destroyed)
        await Promise.race([once(response, 'drain'), closed]);
      const last = rows.at(-1);
      if (last === undefined || rows.length < EVENTS_AT_ONCE) break;
      after = last.id;
    }
    response.end();
  }

  #select({ workspaceId, organizationId, isOwner }: Caller, { since, until, action }: AuditQuery) {
    let events = this.#db
      .selectFrom('audit_events')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where(({ or, eb }) =>
        or([
          eb('workspace_id', '=', workspaceId),
          ...(isOwner === true ? [eb('workspace_id', 'is', null)] : []),
        ]),
      );
    if (since !== undefined) events = events.where('at', '>=', new Date(since).toISOString());
    if (until !== undefined) events = events.where('at', '<', new Date(until).toISOString());
    if (action !== undefined) events = events.where('action', '=', action);
    return events;
  }
}

/** An event as a line. */
function lineOf({ id, at, actor, actor_name, action, subject, status }: Selectable<AuditEventTable>): string {
  const event = { id, at, actor, actor_name, action, subject: readStoredObject(subject), status };
  return `${JSON.stringify(event)}\n`;
}

/**
 * The parameters of a call and its recorded fields: numbers, booleans, null, texts, and lists of texts. Long
 * texts and lists are cut.
 */
function subjectOf({ params, query, body }: ValidatedCall, fields: readonly string[]): JsonObject {
  const subject: JsonObject = { ...objectOf(params) };
  for (const given of [query, ...(Array.isArray(body) ? body.slice(0, MAX_ITEMS) : [body])]) {
    const from = objectOf(given);
    for (const field of fields) {
      const value = recordable(from[field]);
      if (value === undefined) continue;
      // If the body is a list, for example of secrets, the fields of all its items are recorded.
      if (Array.isArray(body)) subject[field] = [...listOf(subject[field]), value];
      else subject[field] = value;
    }
  }
  return subject;
}

/**
 * A value as it is recorded; undefined for a value that may be large or secret. In a list, only texts are
 * recorded.
 */
function recordable(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_CHARS);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (!Array.isArray(value)) return undefined;
  return value
    .slice(0, MAX_ITEMS)
    .flatMap((item) => (typeof item === 'string' ? [item.slice(0, MAX_CHARS)] : []));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The ID of the created resource or job, if any. */
function idOf(result: unknown): string | undefined {
  const { id, job_id } = objectOf(result);
  return [id, job_id].find((one) => typeof one === 'string');
}
