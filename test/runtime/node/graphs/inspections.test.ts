import assert from 'node:assert/strict';
import path from 'node:path';
import { z } from 'zod';
import type { GraphSchemas } from '../../../../src/runtime/protocol/protocol.ts';
import { type GraphProject, graphProject, langgraphLines } from '../../../support/projects.ts';
import { RuntimeHost } from '../../../support/runtime/runtime-host.ts';

const none = { config: {}, context: {} };

for (const line of langgraphLines) {
  describe(`the description of a graph on ${line}`, () => {
    let project: GraphProject;
    let host: RuntimeHost;

    before(async () => {
      project = await graphProject({ line });
      host = new RuntimeHost({ project });
      await host.initialize();
    });
    after(async () => {
      await host[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    });

    const schemas = (graph_id: string): Promise<GraphSchemas> =>
      host.connection.request('graph.schemas', { graph_id, ...none });

    it('has the schemas a zod state was made with', async () => {
      const { graph_id, input_schema, output_schema, state_schema, context_schema, config_schema } =
        await schemas('with_zod');
      assert.equal(graph_id, 'with_zod');
      const question = { type: 'string', description: 'What is asked' };
      for (const schema of [input_schema, output_schema, state_schema]) {
        assert.equal(schema?.type, 'object');
        assert.deepEqual(schema?.properties, { question, count: { type: 'number' } });
      }
      assert.equal(input_schema?.required, undefined);
      assert.deepEqual(state_schema?.required, ['question']);
      assert.deepEqual(context_schema?.properties, {
        model: { type: 'string' },
        temperature: { type: 'number' },
      });
      assert.deepEqual(config_schema, context_schema);
    });

    it('leaves only those keys of a zod state open that JSON Schema cannot express', async () => {
      const { input_schema, output_schema } = await schemas('dated');
      for (const schema of [input_schema, output_schema]) {
        const { topic, when } = z.object({ topic: z.unknown(), when: z.unknown() }).parse(schema?.properties);
        assert.deepEqual(topic, { type: 'string', description: 'what' });
        // zod 3 writes dates as they are sent.
        assert.deepEqual(when, line === 'langgraph-1.1' ? { type: 'string', format: 'date-time' } : {});
      }
    });

    it('has the keys of a state made with annotations, and their known properties', async () => {
      const hasTypes = line === 'langgraph-1.7';
      const { input_schema, state_schema, context_schema } = await schemas('approval');
      assert.deepEqual(
        input_schema?.properties,
        hasTypes
          ? { topic: { type: 'string' }, answers: { type: 'array', items: { type: 'string' } } }
          : { topic: {}, answers: { type: 'array', default: [] } },
      );
      assert.deepEqual(state_schema?.properties, input_schema?.properties);
      assert.equal(context_schema, null);
      const pace = hasTypes ? { type: 'string', enum: ['slow', 'fast'] } : {};
      assert.deepEqual((await schemas('planned')).input_schema?.properties, { pace });
    });

    it('marks a list of messages', async () => {
      const { input_schema, output_schema } = await schemas('agent');
      for (const schema of [input_schema, output_schema]) {
        assert.deepEqual(schema?.properties, {
          messages: { type: 'array', items: { type: 'object' }, langgraph_type: 'messages' },
        });
      }
    });

    it('has the schemas of builders and of what factories return', async () => {
      for (const id of ['builder', 'factory', 'async_factory']) {
        assert.equal((await schemas(id)).state_schema?.type, 'object', id);
      }
    });

    it('draws nodes and edges, subgraphs opened when asked', async () => {
      const diagram = await host.connection.request('graph.draw', {
        graph_id: 'nested',
        ...none,
        xray: false,
      });
      assert.deepEqual(
        diagram.nodes.map(({ id }) => id),
        ['__start__', 'before', 'child', 'after', '__end__'],
      );
      assert.deepEqual(diagram.edges.map(({ source, target }) => `${source} ${target}`).sort(), [
        '__start__ before',
        'after __end__',
        'before child',
        'child after',
      ]);
      const opened = await host.connection.request('graph.draw', { graph_id: 'nested', ...none, xray: true });
      assert.ok(opened.nodes.some(({ id }) => id === 'child:inner_ask'));
      const routed = await host.connection.request('graph.draw', {
        graph_id: 'router',
        ...none,
        xray: false,
      });
      assert.ok(routed.edges.some(({ source, conditional }) => source === 'choose' && conditional === true));
    });

    it('names subgraphs with their schemas', async () => {
      const subgraphs = await host.connection.request('graph.subgraphs', {
        graph_id: 'nested',
        ...none,
        recurse: true,
      });
      assert.deepEqual(Object.keys(subgraphs), ['child']);
      const answers = { type: 'array', items: { type: 'string' } };
      const typed = { topic: { type: 'string' }, answers };
      const derived = { topic: {}, answers: { type: 'array', default: [] } };
      const expected = line === 'langgraph-1.7' ? typed : derived;
      assert.deepEqual(subgraphs.child?.state_schema?.properties, expected);
      assert.deepEqual(subgraphs.child?.input_schema?.properties, expected);
      const deep = await host.connection.request('graph.subgraphs', {
        graph_id: 'deep',
        ...none,
        recurse: true,
      });
      assert.deepEqual(Object.keys(deep), ['child', 'child|below']);
      assert.deepEqual(deep['child|below']?.state_schema?.properties, expected);
      const none_ = await host.connection.request('graph.subgraphs', {
        graph_id: 'nested',
        ...none,
        namespace: 'nobody',
        recurse: false,
      });
      assert.deepEqual(none_, {});
    });

    it('has the source locations of nodes', async () => {
      const file = (name: string) => path.join(project.folder, name);
      assert.deepEqual(await host.connection.request('graph.locations', { graph_id: 'agent', ...none }), {
        location: { file: file('chat.ts'), line: 9 },
        nodes: { model: { file: file('chat.ts'), line: 10, column: 21 } },
      });
      const { nodes } = await host.connection.request('graph.locations', { graph_id: 'common', ...none });
      assert.deepEqual(nodes, { add: { file: file('common.cjs'), line: 7, column: 19 } });
      const made = await host.connection.request('graph.locations', { graph_id: 'factory', ...none });
      assert.deepEqual(made.nodes.greet, { file: file('shapes.ts'), line: 16, column: 23 });
      assert.equal(made.location?.line, 21);
    });
  });
}

describe('the places of the nodes of a compiled graph', () => {
  const BUILT = `import { Annotation, START, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ value: Annotation });
export const graph = new StateGraph(State).addNode('add', () => ({ value: 1 })).addEdge(START, 'add').compile();
`;
  /** Each line is two lines further down in the source. */
  const map = (source: string) =>
    JSON.stringify({ version: 3, sources: [source], names: [], mappings: 'AAEA;AACA;AACA' });

  it('are those of the source that the map names, or of what runs if that is gone or there is no map', async () => {
    await using project = await graphProject({
      line: 'langgraph-1.7',
      empty: true,
      files: {
        'langgraph.json': JSON.stringify({
          graphs: {
            mapped: './dist/mapped.js:graph',
            moved: './dist/moved.js:graph',
            plain: './dist/plain.js:graph',
            lost: './dist/lost.js:graph',
          },
        }),
        'package.json': '{"type": "module"}',
        'src/mapped.ts': 'export {};',
        'dist/mapped.js': `${BUILT}//# sourceMappingURL=mapped.js.map`,
        'dist/mapped.js.map': map('../src/mapped.ts'),
        'dist/moved.js': `${BUILT}//# sourceMappingURL=moved.js.map`,
        'dist/moved.js.map': map('../src/elsewhere.ts'),
        'dist/plain.js': BUILT,
        'dist/lost.js': `${BUILT}//# sourceMappingURL=lost.js.map`,
      },
    });
    await using host = new RuntimeHost({ project });
    await host.initialize();
    const places = [];
    for (const graph_id of ['mapped', 'moved', 'plain', 'lost']) {
      const { nodes } = await host.connection.request('graph.locations', { graph_id, ...none });
      places.push(`${path.relative(project.folder, nodes.add?.file ?? '')}:${nodes.add?.line}`);
    }
    assert.deepEqual(places, [
      `${path.join('src', 'mapped.ts')}:5`,
      `${path.join('dist', 'moved.js')}:3`,
      `${path.join('dist', 'plain.js')}:3`,
      `${path.join('dist', 'lost.js')}:3`,
    ]);
  });
});

describe('the types of a graph', () => {
  const load = async (manifest: string) => {
    const project = await graphProject({
      line: 'langgraph-1.7',
      empty: true,
      files: {
        'langgraph.json': JSON.stringify({ graphs: { agent: './src/agent.ts:graph' } }),
        'src/agent.ts': `
          import { Annotation, START, StateGraph } from '@langchain/langgraph';
          const State = Annotation.Root({ value: Annotation<number> });
          export const graph = new StateGraph(State).addNode('add', () => ({ value: 1 })).addEdge(START, 'add').compile();`,
        'src/node_modules/typescript/package.json': manifest,
      },
    });
    const host = new RuntimeHost({ project });
    await host.initialize();
    const { state_schema } = await host.connection.request('graph.schemas', { graph_id: 'agent', ...none });
    await host[Symbol.asyncDispose]();
    await project[Symbol.asyncDispose]();
    return { state_schema, notes: host.logs.map(({ message }) => message) };
  };

  it('cannot be read with a TypeScript that has no compiler API, which the log says', async () => {
    const { notes } = await load('{"name": "typescript", "version": "7.0.2"}');
    assert.match(notes.join('\n'), /TypeScript 7\.0\.2 has no compiler API/);
  });
});
