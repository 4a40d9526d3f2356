import { dirname } from 'node:path';
import type { Client } from '../../client/client.ts';
import type { GraphStatus, SourceLocation } from '../../contract/harbor.ts';
import { findEvaluatorFiles } from '../../evaluation/find-evaluations.ts';
import { listEvaluators } from '../../evaluation/list-evaluators.ts';
import type { EvaluatorReference } from '../../evaluation/score-run.ts';
import { filesOnDisk } from '../../project/project-files.ts';
import type { PlatformSession } from '../folders/agent-connection.ts';
import { useFolder } from '../folders/folder-use.ts';
import { HOLDER, openFolder } from '../folders/open-folder.ts';
import { failureSentence } from '../render/places.ts';
import { Failure } from '../terminal/failure.ts';

/** A project whose graphs and evaluators are loaded. */
export interface ServedProject extends AsyncDisposable {
  readonly client: Client;
  readonly deploymentId: string;
  readonly graphs: readonly GraphStatus[];
  readonly evaluators: readonly EvaluatorReference[];
  /** The source locations of a graph's nodes, by node. */
  locateNodes(graphId: string): Promise<Readonly<Record<string, SourceLocation>>>;
  /** Why a graph failed to load; undefined if it has loaded or is unknown. */
  failureOf(graphId: string): string | undefined;
}

/**
 * Serves a project, with the current contents of its files, until the result is disposed of.
 * @param config the real path of a langgraph.json
 * @param variables values for environment variables that are not set
 * @throws Failure when the graphs do not load; also what `listEvaluators` throws
 */
export async function serveProject(
  { client }: Pick<PlatformSession, 'client'>,
  config: string,
  signal: AbortSignal,
  variables: Readonly<Record<string, string>> = {},
): Promise<ServedProject> {
  const use = await useFolder(config);
  try {
    // True if nobody else uses the folder: then it was opened, and its graphs were loaded, just now.
    let isFreshlyLoaded = false;
    let deployment = await openFolder(client, config, {
      signal,
      variables,
      onOpened: ({ deployment_id, holders }) => {
        isFreshlyLoaded = use.isOnly && holders?.length === 1;
        use.onLastEnd(async () => {
          const request = { params: { deployment_id }, body: { holder: HOLDER } };
          // A server that has stopped has closed the folder.
          await client.harbor.closeFolder(request).catch(() => {});
        });
      },
    });
    const { deployment_id, deployment_url } = deployment;
    const params = { deployment_id };
    // The server of the folder may not have seen the newest changes yet.
    if (!isFreshlyLoaded) deployment = await client.harbor.restartFolder({ params }, { signal });
    const { runtime } = deployment;
    if (runtime.state !== 'ready') {
      throw new Failure(
        runtime.state === 'failed' ? failureSentence(runtime) : 'The graphs are not loaded. Try again.',
      );
    }
    const files = await findEvaluatorFiles(filesOnDisk, dirname(config));
    const evaluators = await listEvaluators(client, deployment_id, files, { signal });
    return {
      client: client.withDeployment(deployment_url),
      deploymentId: deployment_id,
      graphs: runtime.graphs,
      evaluators,
      async locateNodes(graph_id) {
        const { nodes } = await client.harbor.locateGraph(
          { params: { deployment_id, graph_id } },
          { signal },
        );
        return nodes;
      },
      failureOf(graphId) {
        const found = runtime.graphs.find(({ graph_id }) => graph_id === graphId);
        return found?.status === 'failed' ? failureSentence(found.error) : undefined;
      },
      [Symbol.asyncDispose]: () => use[Symbol.asyncDispose](),
    };
  } catch (error) {
    await use[Symbol.asyncDispose]();
    throw error;
  }
}
