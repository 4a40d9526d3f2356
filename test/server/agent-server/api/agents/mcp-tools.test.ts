import assert from 'node:assert/strict';
import { McpTools } from '../../../../../src/server/agent-server/api/agents/mcp-tools.ts';
import { Assistants } from '../../../../../src/server/agent-server/assistants/assistants.ts';
import { NOBODY } from '../../../../../src/server/agent-server/auth/run-author.ts';
import { AssistantStore } from '../../../../../src/server/agent-server/data/assistant-store.ts';
import { JsonText } from '../../../../../src/server/http/reply.ts';
import { assistantRow, DEPLOYMENT, deploymentDatabase } from '../../../../support/deployment-database.ts';

const idOf = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;

describe('the MCP tools of a deployment', () => {
  it('include assistants of the caller after thousands of others', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    const store = new AssistantStore(db, DEPLOYMENT);
    await db.commit((unit) => {
      for (let at = 0; at < 2500; at++) {
        const name = `a${String(at).padStart(4, '0')}`;
        // The 700 that were created at the same time are split between two pages.
        const created_at = new Date(Math.floor(at / 700) * 1000).toISOString();
        store.insert(unit, { ...assistantRow('graph'), assistant_id: idOf(at), name, created_at });
      }
    });
    const assistants = new Assistants({
      db,
      store,
      runtime: {
        ready: () => Promise.reject(new Error('There is no runtime.')),
        project: undefined,
        state: { state: 'ready' },
      },
      changes: { publish: () => {} },
    });
    const tools = new McpTools({
      assistants,
      usable: {
        filterFor:
          async () =>
          ({ name }) =>
            /^a(?:0000|1500|2499)$/.test(name),
      },
      graphs: { readSchemas: async () => new JsonText('{}') },
    });
    assert.equal((await tools.require('a2499', NOBODY)).assistantId, idOf(2499));
    const { tools: listed } = Object(await tools.list(undefined, NOBODY));
    assert.deepEqual(
      listed.map(({ name }: { name: string }) => name),
      ['a0000', 'a1500', 'a2499'],
    );
  });
});
