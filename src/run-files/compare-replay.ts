import type { Client } from '../client/client.ts';
import { exportThreads } from '../client/export-threads.ts';
import { readableState } from '../client/readable-state.ts';
import type { RunError } from '../contract/agent-server/runs.ts';
import { withEqualMasks } from '../replay/canonical-request.ts';
import { Masker, type SecretValue } from '../replay/mask.ts';
import { RunFileError } from '../replay/read-run-file.ts';
import type { SavedEnd } from '../replay/run-file.ts';
import type { Ends } from './replay-outcome.ts';
import { SuperstepOrder, withNames } from './superstep-order.ts';

interface CompareOptions {
  /** Secrets that are masked in the values before they are compared. */
  readonly secrets: readonly SecretValue[];
  /** Whether the replay continued from a state, so that it lacks the steps before it. */
  readonly isContinued: boolean;
  readonly signal: AbortSignal;
}

/** Whether a replay ended differently; errors are compared where both are known. */
export function endedDifferently({ recorded, now }: Ends): boolean {
  if (recorded === undefined) return false;
  if (recorded.status !== now.status) return true;
  return recorded.error !== undefined && now.error !== undefined && !isSameError(recorded.error, now.error);
}

/** Whether two errors have the same class and message. Memory addresses, UUIDs and masked secrets do not count. */
function isSameError(one: RunError, other: RunError): boolean {
  return one.error === other.error && withoutVaryingParts(one.message) === withoutVaryingParts(other.message);
}

function withoutVaryingParts(message: string): string {
  return withEqualMasks(message)
    .replace(/\b0x[0-9a-f]{6,}\b/gi, '0x')
    .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, 'id');
}

/**
 * Compares the order of nodes and the final values of a replay with the recorded ones.
 * @returns the first difference, or `same`
 * @throws RunFileError, RequestError
 */
export async function compareResults(
  client: Client,
  threadId: string,
  runIds: readonly string[],
  recorded: SavedEnd | undefined,
  { secrets, signal, isContinued }: CompareOptions,
) {
  if (recorded === undefined) throw new RunFileError('it does not say how its run ended.');
  const order = new SuperstepOrder(runIds);
  for await (const line of exportThreads(client, [threadId], { signal })) {
    if (line.kind === 'checkpoint' || line.kind === 'write') order.add(line);
  }
  const steps = order.steps();
  const all = withNames(recorded.steps);
  const expected = isContinued ? lastOf(all, steps) : all;
  if (JSON.stringify(steps) !== JSON.stringify(expected)) {
    return { kind: 'steps' as const, recorded: expected, now: steps };
  }
  const state = await readableState(client, { thread_id: threadId }, { signal });
  const masked = new Masker(secrets).json(state?.values ?? null);
  return textOf(masked) === textOf(recorded.values)
    ? { kind: 'same' as const }
    : { kind: 'values' as const, recorded: recorded.values, now: masked };
}

/** The last recorded supersteps of each graph, as many as the replay has. */
function lastOf(recorded: SavedEnd['steps'], replayed: SavedEnd['steps']): SavedEnd['steps'] {
  const lasts = Object.entries(replayed).map(([graph, { length }]) => {
    const steps = recorded[graph] ?? [];
    return [graph, steps.slice(Math.max(0, steps.length - length))];
  });
  return Object.fromEntries(lasts);
}

/** The text by which values are compared: JSON with masks of the same length. */
function textOf(values: unknown): string {
  return withEqualMasks(JSON.stringify(values));
}
