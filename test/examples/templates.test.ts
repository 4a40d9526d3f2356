import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { createProject, type Template } from '../../src/project/create-project.ts';
import { projectRoot } from '../support/cache.ts';
import { type GraphProject, graphProject, readGraphs } from '../support/projects.ts';
import { requirePython, servablePythonProject } from '../support/python-projects.ts';
import { serveProject } from '../support/served-project.ts';

/** A new project next to installed packages. */
async function newProject(template: Template, installed: GraphProject): Promise<GraphProject> {
  // The template has its own manifest.
  await rm(path.join(installed.folder, 'package.json'), { force: true });
  const made = await createProject({
    templates: path.join(projectRoot, 'templates'),
    template,
    folder: installed.folder,
  });
  return { ...installed, graphs: await readGraphs(made.configPath) };
}

async function converse(given: GraphProject): Promise<void> {
  await using served = await serveProject({ given });
  const client = new Client({ apiUrl: served.url });
  const { thread_id } = await client.threads.create();
  const say = async (content: string) => {
    let tokens = 0;
    const stream = client.runs.stream(thread_id, 'agent', {
      input: { messages: [{ role: 'user', content }] },
      streamMode: 'messages-tuple',
    });
    for await (const { event, data } of stream) {
      assert.notEqual(event, 'error', JSON.stringify(data));
      if (event === 'messages') tokens += 1;
    }
    const { values } = await client.threads.getState<{ messages: { type: string; content: string }[] }>(
      thread_id,
    );
    return { tokens, messages: values.messages };
  };
  const greeted = await say('Hello there');
  assert.match(greeted.messages.at(-1)?.content ?? '', /^You said: Hello there /);
  assert.ok(greeted.tokens > 5, `streamed in ${greeted.tokens} tokens`);
  const { messages } = await say('What time is it?');
  assert.deepEqual(
    messages.map(({ type }) => type),
    ['human', 'ai', 'human', 'ai', 'tool', 'ai'],
  );
  assert.match(messages.at(-1)?.content ?? '', /^It is .*20\d\d/);
}

describe('a new project', function () {
  this.timeout(600_000);

  it('in TypeScript answers, streams and uses its tool', async () => {
    await converse(
      await newProject('typescript', await graphProject({ line: 'langgraph-1.7', empty: true })),
    );
  });

  it('in Python answers, streams and uses its tool', async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    await converse(await newProject('python', await servablePythonProject(python, { empty: true })));
  });
});
