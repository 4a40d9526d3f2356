import { ConnectionClosedError, RpcError } from '../../runtime/protocol/connection.ts';
import { badRequest, HttpError } from '../http/errors.ts';
import type { DeploymentRuntime } from '../runtimes/deployment-runtime.ts';
import { RuntimeUnavailableError } from '../runtimes/runtime-errors.ts';
import type { RuntimeConnection, RuntimeProcess } from '../runtimes/runtime-process.ts';

/**
 * Asks the process that has a graph.
 * @throws HttpError 503 while it cannot be asked, 400 for what the graph refuses.
 */
export async function askRuntime<Result>(
  runtime: DeploymentRuntime,
  graphId: string,
  question: (connection: RuntimeConnection, process: RuntimeProcess) => Promise<Result>,
): Promise<Result> {
  try {
    const generation = await runtime.ready();
    const asked = generation.of(graphId);
    return await asked.use((connection) => question(connection, asked.process));
  } catch (error) {
    if (error instanceof RuntimeUnavailableError) throw new HttpError(503, error.message);
    if (error instanceof ConnectionClosedError) {
      throw new HttpError(503, 'The graph runtime stopped unexpectedly. Try again.');
    }
    if (error instanceof RpcError) throw badRequest(error.message);
    throw error;
  }
}
