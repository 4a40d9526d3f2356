import assert from 'node:assert/strict';
import { Agent } from 'undici';
import type { Client } from '../../src/client/client.ts';
import { createOrUpdate, type WantedDeployment } from '../../src/deploy/create-or-update.ts';

const REPOSITORY = 'https://git.example/agents.git';

describe('a new revision of a deployment from a repository', () => {
  it('names the path of langgraph.json as other platforms do', async () => {
    const bodies: unknown[] = [];
    const existing = {
      id: 'd',
      name: 'agents',
      source: 'github',
      source_config: { repo_url: REPOSITORY },
      source_revision_config: {},
    };
    const deployments = {
      list: async () => ({ resources: [existing], offset: 1 }),
      update: async ({ body }: { body: unknown }) => {
        bodies.push(body);
        return existing;
      },
    };
    const wanted: WantedDeployment = {
      name: 'agents',
      source: {
        kind: 'repository',
        place: { top: '/agents', configPath: 'docs/langgraph.json' },
        url: REPOSITORY,
        ref: 'main',
      },
      type: undefined,
      buildOnPush: undefined,
      secrets: undefined,
    };
    const client = { deployments } as unknown as Client;
    await createOrUpdate(client, new Agent(), wanted, new AbortController().signal);
    assert.deepEqual(bodies, [
      {
        source_config: null,
        source_revision_config: { repo_ref: 'main', langgraph_config_path: 'docs/langgraph.json' },
        secrets: null,
      },
    ]);
  });
});
