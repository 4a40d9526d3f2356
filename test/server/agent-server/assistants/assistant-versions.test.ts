import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../src/contract/fields.ts';
import { Assistants } from '../../../../src/server/agent-server/assistants/assistants.ts';
import { AssistantStore } from '../../../../src/server/agent-server/data/assistant-store.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';

const ID = '00000000-0000-4000-8000-000000000001';

describe('the versions of an assistant', () => {
  it('are filtered by metadata before they are divided into pages', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    const assistants = new Assistants({
      db,
      store: new AssistantStore(db, DEPLOYMENT),
      runtime: {
        ready: () => Promise.reject(new Error('There is no runtime.')),
        project: { graphs: { graph: {} } },
        state: { state: 'ready' },
      },
      changes: { publish: () => {} },
    });
    const first = { assistant_id: ID, graph_id: 'graph', metadata: { stage: 'draft', by: { name: 'ann' } } };
    await assistants.create({ ...first, config: {}, context: {}, if_exists: 'raise' });
    for (let version = 2; version <= 11; version++) {
      await assistants.update(ID, { metadata: { stage: version % 2 === 0 ? 'test' : 'live' } });
    }
    const versions = async (metadata: JsonObject, limit: number, offset: number) => {
      const listed = await assistants.listVersions(ID, { metadata, limit, offset });
      return listed.map(({ version }) => version);
    };
    assert.deepEqual(await versions({ stage: 'draft' }, 10, 0), [1]);
    assert.deepEqual(await versions({ stage: 'live', by: { name: 'ann' } }, 2, 1), [9, 7]);
    assert.deepEqual(await versions({}, 3, 9), [2, 1]);
    assert.deepEqual(await versions({ stage: 'gone' }, 10, 0), []);
  });
});
