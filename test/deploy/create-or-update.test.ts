import assert from 'node:assert/strict';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { createOrUpdate } from '../../src/deploy/create-or-update.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { httpPeer, json } from '../support/http-peer.ts';

const REPOSITORY = 'https://git.example/agents.git';
const TIME = '2026-01-01T00:00:00Z';

describe('a new revision of a deployment from a repository', () => {
  it('names the path of langgraph.json as other platforms do', async () => {
    const existing = {
      ...{ id: 'd', name: 'agents', tenant_id: 't', source: 'github', status: 'READY', secrets: [] },
      ...{ source_config: { repo_url: REPOSITORY }, source_revision_config: {} },
      ...{ latest_revision_id: 'r', active_revision_id: 'r', created_at: TIME, updated_at: TIME },
    };
    await using platform = await httpPeer(({ method }, response) =>
      json(response, 200, method === 'GET' ? { resources: [existing], offset: 1 } : existing),
    );
    const dispatcher = createDispatcher();
    const client = clientOf({ baseUrl: platform.url, apiKey: 'none' }, dispatcher);
    const place = { top: '/agents', configPath: 'docs/langgraph.json' };
    await createOrUpdate(
      client,
      dispatcher,
      {
        name: 'agents',
        source: { kind: 'repository', place, url: REPOSITORY, ref: 'main' },
        ...{ type: undefined, buildOnPush: undefined, secrets: undefined },
      },
      new AbortController().signal,
    );
    await dispatcher.destroy();
    const sent = platform.seen.find(({ method }) => method === 'PATCH');
    assert.deepEqual(JSON.parse(sent?.body ?? '').source_revision_config, {
      repo_ref: 'main',
      langgraph_config_path: 'docs/langgraph.json',
    });
  });
});
