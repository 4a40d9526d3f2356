import { ConnectionClosedError, RpcError } from '../../../runtime/protocol/connection.ts';
import { badRequest, HttpError } from '../../http/errors.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { Generation } from '../../runtimes/generations/generation.ts';
import { RuntimeUnavailableError } from '../../runtimes/process/runtime-errors.ts';
import type { RuntimeConnection, RuntimeProcess } from '../../runtimes/process/runtime-process.ts';

/**
 * Sends a request to the process that has loaded a graph.
 * @throws HttpError 503 if the runtime does not answer, 400 if the graph's code fails.
 */
export function askRuntime<Result>(
  runtime: DeploymentRuntime,
  graphId: string,
  question: (connection: RuntimeConnection, process: RuntimeProcess) => Promise<Result>,
): Promise<Result> {
  return askGeneration(runtime, (generation) => {
    const asked = generation.runtimeOfGraph(graphId);
    return asked.use((connection) => question(connection, asked.process));
  });
}

/**
 * Sends a request to a process that has loaded the graphs.
 * @throws HttpError 503 if the runtime does not answer, 400 if the user's code fails.
 */
export async function askGeneration<Result>(
  runtime: DeploymentRuntime,
  ask: (generation: Generation) => Promise<Result>,
): Promise<Result> {
  try {
    return await ask(await runtime.ready());
  } catch (error) {
    if (error instanceof RpcError) throw badRequest(error.message);
    throw asUnavailable(error);
  }
}

/** The HttpError 503 for a runtime that cannot answer or has stopped; any other error unchanged. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof RuntimeUnavailableError) return new HttpError(503, error.message);
  if (error instanceof ConnectionClosedError)
    return new HttpError(503, 'The graph runtime stopped unexpectedly. Try again.');
  return error;
}
