import assert from 'node:assert/strict';
import type { Client } from '@langchain/langgraph-sdk';

/**
 * The id of graph `agent`'s default assistant on every server (docs/interface/agent-server.md#identity-and-defaults).
 */
const AGENT = 'fe096781-5601-53d2-b2f6-0d3403f7e9ca';

export function assistantsSuite(client: () => Client): void {
  describe('assistants', () => {
    it('exist for every graph, by graph ID and by the same ID as on other servers', async () => {
      const agent = await client().assistants.get('agent');
      assert.equal(agent.assistant_id, AGENT);
      assert.deepEqual(agent.metadata, { created_by: 'system' });
      assert.equal((await client().assistants.get(AGENT)).graph_id, 'agent');
    });

    it('are created only once', async () => {
      const { assistants } = client();
      const assistantId = crypto.randomUUID();
      const made = await assistants.create({
        graphId: 'one_node',
        assistantId,
        name: 'Counting',
        description: 'Adds one.',
        context: { by: 1 },
        metadata: { suite: 'create' },
      });
      assert.equal(made.assistant_id, assistantId);
      assert.equal(made.version, 1);
      assert.deepEqual(made.context, { by: 1 });
      await assert.rejects(assistants.create({ graphId: 'one_node', assistantId }), /409/);
      const again = await assistants.create({ graphId: 'ten_nodes', assistantId, ifExists: 'do_nothing' });
      assert.equal(again.graph_id, 'one_node');
    });

    it('get a new version with every update, and can be rolled back completely', async () => {
      const { assistants } = client();
      const { assistant_id } = await assistants.create({
        graphId: 'one_node',
        context: { by: 1 },
        metadata: { a: 1 },
        name: 'First',
      });
      const second = await assistants.update(assistant_id, {
        graphId: 'ten_nodes',
        context: { other: 2 },
        metadata: { b: 2 },
        name: 'Second',
        description: 'Ten',
      });
      assert.equal(second.version, 2);
      assert.deepEqual(second.context, { other: 2 });
      assert.deepEqual(second.metadata, { a: 1, b: 2 });
      const versions = await assistants.getVersions(assistant_id);
      assert.deepEqual(
        versions.map(({ version }) => version),
        [2, 1],
      );
      const back = await assistants.setLatest(assistant_id, 1);
      assert.deepEqual(
        [back.version, back.graph_id, back.name, back.context, back.description],
        [1, 'one_node', 'First', { by: 1 }, null],
      );
      assert.equal((await assistants.update(assistant_id, { name: 'Third' })).version, 3);
    });

    it('are found by graph, name and metadata, sorted and in pages', async () => {
      const { assistants } = client();
      const mark = crypto.randomUUID();
      for (const name of ['Beta', 'alpha', 'Gamma']) {
        await assistants.create({ graphId: 'one_node', name, metadata: { mark, deep: { name } } });
      }
      const byName = await assistants.search({ metadata: { mark }, sortBy: 'name', sortOrder: 'asc' });
      assert.deepEqual(byName.map(({ name }) => name).toSorted(), ['Beta', 'Gamma', 'alpha']);
      assert.equal((await assistants.search({ metadata: { mark }, limit: 2, offset: 2 })).length, 1);
      const deep = await assistants.search({ metadata: { mark, deep: { name: 'alpha' } } });
      assert.equal(deep.length, 1);
      assert.equal((await assistants.search({ graphId: 'nothing_of_it' })).length, 0);
      assert.equal((await assistants.search({ metadata: { mark }, name: 'ALPH' })).length, 1);
      const paged = await assistants.search({ metadata: { mark }, limit: 2, includePagination: true });
      assert.equal(paged.next, '2');
      assert.equal(await assistants.count({ metadata: { mark } }), 3);
    });

    it('draw their graph, also with expanded subgraphs', async () => {
      const { assistants } = client();
      const drawn = await assistants.getGraph('nested');
      assert.ok(drawn.nodes.some(({ id }) => id === 'child'));
      assert.ok(drawn.edges.some(({ source, target }) => source === 'before' && target === 'child'));
      const xray = await assistants.getGraph('nested', { xray: true });
      assert.ok(xray.nodes.some(({ id }) => String(id).includes('inner_ask')));
    });

    it('return the schemas of graphs made with zod and with annotations', async () => {
      const { assistants } = client();
      const zod = await assistants.getSchemas('with_zod');
      assert.equal(zod.graph_id, 'with_zod');
      assert.ok(zod.state_schema?.properties && 'question' in zod.state_schema.properties);
      const plain = await assistants.getSchemas('one_node');
      assert.ok(plain.input_schema);
    });

    it('return their subgraphs', async () => {
      const { assistants } = client();
      assert.ok('child' in (await assistants.getSubgraphs('nested')));
      assert.ok('child' in (await assistants.getSubgraphs('nested', { namespace: 'child', recurse: true })));
    });

    it('are deleted with all versions', async () => {
      const { assistants } = client();
      const { assistant_id } = await assistants.create({ graphId: 'one_node' });
      await assistants.update(assistant_id, { name: 'Second' });
      await assistants.delete(assistant_id);
      await assert.rejects(assistants.get(assistant_id), /404/);
      await assert.rejects(assistants.getVersions(assistant_id), /404/);
    });
  });
}
