import assert from 'node:assert/strict';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { graphStructure } from '../../src/coding-agents/tools/graph-structure.ts';
import type { GraphStatus } from '../../src/contract/harbor.ts';

const URL = 'http://127.0.0.1:1';

describe('the structure of a deployment', () => {
  let dispatcher: Dispatcher;
  before(() => {
    dispatcher = createDispatcher({});
  });
  after(() => dispatcher.close());

  /** The structure of a deployment with these graphs, none by default. */
  async function structure(
    input: { readonly graph?: string },
    graphs: readonly GraphStatus[] = [],
  ): Promise<unknown> {
    const connection = { baseUrl: URL, controlPlaneUrl: URL, deploymentUrl: URL, credentials: {} };
    const client = new Client({ connection, dispatcher });
    const context = {
      signal: new AbortController().signal,
      platform: async () => client,
      deployment: async () => ({
        client,
        graphs,
        locateNodes: async () => ({}),
        [Symbol.asyncDispose]: async () => {},
      }),
      folder: async () => undefined,
      tracingProject: async () => undefined,
    };
    return graphStructure.run(context, input);
  }

  it('has no graphs if the deployment has none', async () => {
    assert.deepEqual(await structure({}), { graphs: [] });
  });

  it('names the graphs that do not fit into the answer', async () => {
    const error = { name: 'Error', message: 'x'.repeat(2_000) };
    const names = Array.from({ length: 20 }, (_, at) => `graph${at}`);
    const answer = await structure(
      {},
      names.map((graph_id) => ({ status: 'failed', graph_id, error })),
    );
    const { graphs, left_out } = z
      .object({ graphs: z.array(z.object({ graph: z.string() })), left_out: z.array(z.string()).min(1) })
      .parse(answer);
    assert.deepEqual([...graphs.map(({ graph }) => graph), ...left_out], names);
  });

  it('is refused for a graph by name that the deployment lacks', async () => {
    await assert.rejects(structure({ graph: 'agent' }), {
      message: "There is no graph 'agent'. The deployment has no graphs.",
    });
  });
});
