import type { Priced } from '../../../contract/tracing/priced.ts';
import { isObject } from '../../../process/objects.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { StoredPayloads } from '../database/stored-payloads.ts';
import type { PayloadPlaces } from '../database/traces-schema.ts';
import { factsOf } from '../prices/call-facts.ts';
import { costsOf, priceRun } from '../prices/price-run.ts';
import { readUsage } from '../prices/read-usage.ts';
import { usageSource } from '../runs/usage.ts';
import { findWorkspaceKeyOrNone } from '../sessions/workspace-keys.ts';

/** How many calls are priced in one transaction, so that arriving traces do not wait long. */
const CALLS_AT_ONCE = 200;

/** Selects calls without a cost, and calls whose cost was computed here. */
const CALLS = `SELECT runs.key, runs.trace, runs.start_time, runs.payloads, runs.priced, runs.prompt_cost, runs.completion_cost,
    runs.total_cost, sessions.id AS session, sessions.name AS project
  FROM runs JOIN sessions ON sessions.key = runs.session
  WHERE runs.workspace = ? AND runs.key > ? AND runs.total_tokens > 0
    AND (runs.priced IS NOT NULL OR runs.total_cost IS NULL) AND (sessions.id = ? OR CAST(? AS TEXT) IS NULL)
  ORDER BY runs.key LIMIT ${CALLS_AT_ONCE}`;
const UPDATE_RUN = `UPDATE runs SET prompt_cost = ?, completion_cost = ?, total_cost = ?, priced = ? WHERE key = ?`;
const UPDATE_TRACE = `UPDATE traces SET prompt_cost = prompt_cost + ?, completion_cost = completion_cost + ?,
  total_cost = total_cost + ? WHERE key = ?`;

/** The result of pricing some stored calls again. */
export interface PricedAgain {
  /** How many calls have another cost than before. */
  readonly changed: number;
  /** The IDs of the projects with such calls. */
  readonly sessions: readonly string[];
  /** The provider and model of each call without a price. */
  readonly withoutPrice: readonly { readonly provider: string; readonly model: string }[];
  /** The key with which to continue; undefined at the end. */
  readonly next: number | undefined;
}

/**
 * Recomputes the costs of some stored calls. Costs that clients sent do not change.
 * @param request `sessionId` limits the calls to those of a project; `after` is `next` of the previous
 * result, or 0.
 */
export function priceAgain(
  { db, blobs, prices }: WriterContext,
  request: { readonly workspaceId: string; readonly sessionId: string | undefined; readonly after: number },
): PricedAgain {
  const workspace = findWorkspaceKeyOrNone(db, request.workspaceId);
  const session = request.sessionId ?? null;
  const rows = db.statement(CALLS).all(workspace, request.after, session, session);
  const stored = new StoredPayloads(db, blobs);
  const withoutPrice: { provider: string; model: string }[] = [];
  const sessions = new Set<string>();
  let changed = 0;
  for (const row of rows) {
    const places: PayloadPlaces = parseStored(String(row.payloads));
    const extra = places.extra && stored.readJson(places.extra);
    const outputs = places.outputs && stored.readJson(places.outputs);
    const project = { workspaceId: request.workspaceId, name: String(row.project) };
    const priced = priceStoredCall(prices, { extra, outputs, startTime: Number(row.start_time), project });
    if (priced === undefined) {
      const { provider = '', models } = factsOf(extra, outputs);
      withoutPrice.push({ provider, model: models[0] ?? '' });
    }
    const text = priced === undefined ? null : JSON.stringify(priced);
    if (text === row.priced) continue;
    changed++;
    sessions.add(String(row.session));
    const costs = columnsOf(priced);
    db.statement(UPDATE_RUN).run(...costs, text, Number(row.key));
    const before = [row.prompt_cost, row.completion_cost, row.total_cost].map((cost) => Number(cost ?? 0));
    db.statement(UPDATE_TRACE).run(
      ...costs.map((cost, at) => (cost ?? 0) - (before[at] ?? 0)),
      Number(row.trace),
    );
  }
  const last = rows.length < CALLS_AT_ONCE ? undefined : rows.at(-1);
  return { changed, sessions: [...sessions], withoutPrice, next: last && Number(last.key) };
}

/** Prices a call by its recorded usage. @returns undefined for a call without a price, or without usage. */
function priceStoredCall(
  prices: WriterContext['prices'],
  call: Omit<Parameters<typeof priceRun>[1], 'usage'>,
): Priced | undefined {
  const { extra, outputs } = call;
  const source = usageSource(isObject(extra) ? extra.metadata : undefined, outputs);
  return source && priceRun(prices, { ...call, usage: readUsage(source) });
}

/** The costs of a run in the order of `UPDATE_RUN`. */
function columnsOf(priced: Priced | undefined): (number | null)[] {
  const costs = priced && costsOf(priced);
  return [costs?.promptCost ?? null, costs?.completionCost ?? null, costs?.totalCost ?? null];
}
