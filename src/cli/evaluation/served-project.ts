import { dirname } from 'node:path';
import type { Client } from '../../client/client.ts';
import type { GraphStatus, SourceLocation } from '../../contract/harbor.ts';
import { findEvaluatorFiles } from '../../evaluation/find-evaluations.ts';
import { listEvaluators } from '../../evaluation/list-evaluators.ts';
import type { EvaluatorReference } from '../../evaluation/score-run.ts';
import { filesOnDisk } from '../../project/project-files.ts';
import type { PlatformSession } from '../folders/agent-connection.ts';
import { HOLDER, openFolder } from '../folders/open-folder.ts';
import { failureSentence } from '../render/deployment.ts';
import { Failure } from '../terminal/failure.ts';

/** A project whose graphs and evaluators are loaded. */
export interface ServedProject extends AsyncDisposable {
  readonly client: Client;
  readonly deploymentId: string;
  readonly graphs: readonly GraphStatus[];
  readonly evaluators: readonly EvaluatorReference[];
  /** Where the nodes of a graph were written. */
  locateNodes(graphId: string): Promise<Readonly<Record<string, SourceLocation>>>;
  /** Why a graph cannot run; undefined when it can. */
  failureOf(graph: string): string | undefined;
}

/**
 * Serves a project until it is disposed of, with the files as they are now.
 * @param config real path of a langgraph.json.
 * @param variables of the environment that this shell may lack.
 * @throws Failure when the graphs do not load; see `listEvaluators`.
 */
export async function serveProject(
  { client }: Pick<PlatformSession, 'client'>,
  config: string,
  signal: AbortSignal,
  variables: Readonly<Record<string, string>> = {},
): Promise<ServedProject> {
  let isFirst = false;
  let deployment = await openFolder(client, config, {
    signal,
    variables,
    onOpened: ({ holders }) => {
      isFirst = holders?.length === 1;
    },
  });
  const { deployment_id, deployment_url } = deployment;
  const params = { deployment_id };
  const close = async () => {
    // A server that has stopped has closed the folder.
    await client.harbor.closeFolder({ params, body: { holder: HOLDER } }).catch(() => {});
  };
  try {
    // The server of the folder may not have seen the newest changes yet.
    if (!isFirst) deployment = await client.harbor.restartFolder({ params }, { signal });
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
      failureOf(graph) {
        const found = runtime.graphs.find(({ graph_id }) => graph_id === graph);
        return found?.status === 'failed' ? failureSentence(found.error) : undefined;
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
