import assert from 'node:assert/strict';
import type { Dispatcher } from 'undici';
import { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { graphStructure } from '../../src/coding-agents/tools/graph-structure.ts';

const URL = 'http://127.0.0.1:1';

describe('the structure of a deployment without graphs', () => {
  let dispatcher: Dispatcher;
  before(() => {
    dispatcher = createDispatcher({});
  });
  after(() => dispatcher.close());

  /** The structure of a deployment without graphs. */
  async function structure(input: { readonly graph?: string }): Promise<unknown> {
    const connection = { baseUrl: URL, controlPlaneUrl: URL, deploymentUrl: URL, credentials: {} };
    const client = new Client({ connection, dispatcher });
    const context = {
      signal: new AbortController().signal,
      platform: async () => client,
      deployment: async () => ({
        client,
        graphs: [],
        locateNodes: async () => ({}),
        [Symbol.asyncDispose]: async () => {},
      }),
      folder: async () => undefined,
      tracingProject: async () => undefined,
    };
    return graphStructure.run(context, input);
  }

  it('has no graphs', async () => {
    assert.deepEqual(await structure({}), { graphs: [] });
  });

  it('is refused for a graph by name', async () => {
    await assert.rejects(structure({ graph: 'agent' }), {
      message: "There is no graph 'agent'. The deployment has no graphs.",
    });
  });
});
