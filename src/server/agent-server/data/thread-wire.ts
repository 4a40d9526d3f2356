import type { z } from 'zod';
import type { ThreadField } from '../../../contract/agent-server/threads.ts';
import { type JsonText, jsonObject } from '../../http/reply.ts';
import { readableJson } from '../../storage/stored-json.ts';
import type { ThreadRow } from './thread-store.ts';

type Field = z.output<typeof ThreadField>;

/** The columns for a list of fields; large state values are only read if requested. */
export function columnsFor(select: readonly Field[] | undefined) {
  const columns = [
    'thread_id',
    'created_at',
    'updated_at',
    'state_updated_at',
    'metadata',
    'config',
    'status',
    'error',
    'interrupts',
  ] as const;
  return select === undefined || select.includes('values') ? ([...columns, 'values'] as const) : columns;
}

/**
 * A thread in the wire format. JSON columns are sent unparsed.
 * @param options.select the fields to send; all by default.
 * @param options.ttl whether to send the thread's time to live, if it has one, regardless of `select`.
 * @param options.extracted values that a search has requested, also sent regardless of `select`.
 */
export function toThread(
  row: Omit<ThreadRow, 'values'> & { values?: string | null },
  options: { select?: readonly Field[] | undefined; ttl?: boolean; extracted?: object } = {},
): JsonText {
  const fields: Record<string, unknown> = {
    thread_id: row.thread_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    state_updated_at: row.state_updated_at ?? row.updated_at,
    status: row.status,
  };
  const raw: Record<string, string> = {
    metadata: readableJson(row.metadata),
    config: readableJson(row.config),
    values: row.values ?? '{}',
    interrupts: readableJson(row.interrupts),
    error: readableJson(row.error ?? 'null'),
  };
  const wanted = options.select;
  const extra = {
    ...(options.ttl === true && row.ttl_strategy !== null
      ? { ttl: { strategy: row.ttl_strategy, ttl_minutes: row.ttl_minutes, expires_at: row.expires_at } }
      : {}),
    ...(options.extracted === undefined ? {} : { extracted: options.extracted }),
  };
  if (wanted === undefined) return jsonObject({ ...fields, ...extra }, raw);
  const chosen = (name: string) => wanted.some((field) => field === name);
  return jsonObject(
    { ...Object.fromEntries(Object.entries(fields).filter(([name]) => chosen(name))), ...extra },
    Object.fromEntries(Object.entries(raw).filter(([name]) => chosen(name))),
  );
}
