import { RpcError } from '../../../runtime/protocol/connection.ts';
import { HttpError } from '../../http/errors.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import { asUnavailable } from './ask-runtime.ts';

/**
 * The vectors of texts, from the function or model in the project's `store.index.embed`.
 * @throws HttpError 503 if the runtime does not answer, 500 if the project's function or model fails.
 */
export async function embedTexts(
  runtime: Pick<DeploymentRuntime, 'ready'>,
  texts: readonly string[],
): Promise<number[][]> {
  try {
    const generation = await runtime.ready();
    const { vectors } = await generation
      .runtimeOfExtra('embed')
      .use((connection) => connection.request('store.embed', { texts: [...texts] }));
    return vectors;
  } catch (error) {
    if (error instanceof RpcError) throw new HttpError(500, `store.index.embed failed: ${error.message}`);
    throw asUnavailable(error);
  }
}
