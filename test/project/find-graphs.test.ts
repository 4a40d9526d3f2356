import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkProject } from '../../src/project/checks/check-project.ts';
import { makeJsonService, readConfigDocument } from '../../src/project/config-document.ts';
import { findGraphs } from '../../src/project/find-graphs.ts';
import { newConfig } from '../../src/project/new-config.ts';
import { filesOnDisk } from '../../src/project/project-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TS = "import { StateGraph } from '@langchain/langgraph';\n";
const PY = 'import re\nfrom langgraph.graph import StateGraph\n';

/** The graphs found in a folder with these files, as `id reference`. */
async function graphsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  await using folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder.path, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const found = await findGraphs(filesOnDisk, folder.path);
  return found.map(({ id, reference }) => `${id} ${reference}`);
}

describe('the graphs of a folder', () => {
  it('are the compiled graphs of TypeScript sources, and nothing else they export', async () => {
    const text = `${TS}
      export const State = Annotation.Root({});
      export const model = new ChatModel();
      export async function answer(state: State) { return { n: 1 }; }
      const builder = new StateGraph(State).addNode('answer', answer);
      export const graph = builder.compile({ checkpointer }).withConfig({ recursionLimit: 9 });
      export const result = await builder.compile().invoke({});
    `;
    assert.deepEqual(await graphsOf({ 'src/support.ts': text }), ['support ./src/support.ts:graph']);
  });

  it('include those of Python sources, but not regular expressions that `re.compile` returns', async () => {
    const text = `${PY}
WORD = re.compile(r"\\w+")
builder = StateGraph(dict)
graph = builder.compile(checkpointer=None)
`;
    assert.deepEqual(await graphsOf({ 'my_agent/agent.py': text }), ['my_agent ./my_agent/agent.py:graph']);
  });

  it('are also agents, workflows, functions that compile one, and graphs that are not compiled', async () => {
    assert.deepEqual(
      await graphsOf({
        'react.ts': `${TS}export const agent = createReactAgent({ llm, tools });`,
        'deep.py': `${PY}agent = create_deep_agent(tools=[])`,
        'flow.ts': `${TS}export const poem = entrypoint({ name: 'poem' }, async (topic: string) => topic);`,
        'tasks.py': `${PY}from langgraph.func import entrypoint\n@entrypoint(checkpointer=saver)\ndef essay(topic):\n    return topic\n`,
        'made.ts': `${TS}export async function makeGraph() { return new StateGraph(S).compile(); }`,
        'bare.ts': `${TS}export default new StateGraph(S).addNode('a', a);`,
      }),
      [
        'bare ./bare.ts:default',
        'deep ./deep.py:agent',
        'poem ./flow.ts:poem',
        'made ./made.ts:makeGraph',
        'react ./react.ts:agent',
        'essay ./tasks.py:essay',
      ],
    );
  });

  it('are told apart by their IDs', async () => {
    const graph = `${TS}export const graph = new StateGraph(S).compile();`;
    assert.deepEqual(
      await graphsOf({ 'a/search/graph.ts': graph, 'b/search/graph.ts': graph, 'agent.ts': graph }),
      ['agent ./agent.ts:graph', 'search ./a/search/graph.ts:graph', 'search_2 ./b/search/graph.ts:graph'],
    );
  });

  it('are not looked for in installed packages, tests, declarations and files without LangGraph', async () => {
    const graph = `${TS}export const graph = new StateGraph(S).compile();`;
    assert.deepEqual(
      await graphsOf({
        'node_modules/a/index.ts': graph,
        '.venv/lib/a.ts': graph,
        'tests/a.ts': graph,
        'src/a.test.ts': graph,
        'src/a.d.ts': graph,
        'src/schema.ts': 'export const graph = ajv.compile({});',
      }),
      [],
    );
  });
});

describe('a new langgraph.json', () => {
  it('has no problems, whatever the graphs are written in', async () => {
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, 'a.ts'), `${TS}export const graph = new StateGraph(S).compile();`);
    await writeFile(path.join(folder.path, 'b.py'), `${PY}graph = StateGraph(dict).compile()\n`);
    await writeFile(path.join(folder.path, 'requirements.txt'), '');
    await writeFile(path.join(folder.path, '.env'), '');
    const text = newConfig(await findGraphs(filesOnDisk, folder.path), true);
    assert.deepEqual(JSON.parse(text), {
      node_version: '20',
      dependencies: ['.'],
      graphs: { a: './a.ts:graph', b: './b.py:graph' },
      env: '.env',
    });
    const config = await readConfigDocument(
      makeJsonService(),
      path.join(folder.path, 'langgraph.json'),
      text,
    );
    assert.deepEqual(
      await checkProject({ config, files: filesOnDisk, environment: {}, runtime: undefined }),
      [],
    );
  });
});
