import type { ObjectSupply } from '../storage/object-supply.ts';
import type { Operations } from './bind-operations.ts';
import { packError, type WorkerRequest, type WorkerResponse } from './worker-protocol.ts';

/** Executes a query, on a replica first if there is one. */
export type RunQuery = <Result>(work: () => Result) => Result;

/**
 * Performs a call of an operation.
 * @param objects supplies objects that the operation needs; undefined if all payloads are in the database.
 * @param ask executes the operation; directly by default.
 * @returns the result, the error, or the objects with which the operation must be called again.
 */
export function perform(
  operations: Operations,
  request: WorkerRequest,
  objects?: ObjectSupply,
  ask: RunQuery = (work) => work(),
): WorkerResponse {
  objects?.begin(request.objects);
  const response = answer(operations, request, ask);
  // The operation may have failed only because these objects were missing.
  const needs = objects?.missing ?? [];
  return needs.length === 0 ? response : { id: request.id, needs };
}

function answer(operations: Operations, request: WorkerRequest, ask: RunQuery): WorkerResponse {
  try {
    const operation = operations[request.operation];
    if (operation === undefined) throw new Error(`Unknown operation ${request.operation}.`);
    return { id: request.id, result: ask(() => operation(request.argument as never)) };
  } catch (error) {
    return { id: request.id, error: packError(error) };
  }
}
