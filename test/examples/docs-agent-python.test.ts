import assert from 'node:assert/strict';
import { cp, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { projectRoot } from '../support/cache.ts';
import { makeEnvironment, withPython } from '../support/python-environments.ts';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const example = path.join(projectRoot, 'examples', 'docs-agent-python');
const context = { model: 'extractive', token_delay_ms: 0, docs_dir: path.join(projectRoot, 'docs') };

describe('the docs agent in Python, served', function () {
  this.timeout(600_000);
  let served: ServedProject;
  let client: Client;

  before(async function () {
    const requirements = await readFile(path.join(example, 'requirements.txt'), 'utf8');
    const environment = await withPython(this, () => makeEnvironment('python-example', requirements));
    const folder = await temporaryFolder();
    await cp(example, folder.path, { recursive: true, filter: (file) => !file.includes('.venv') });
    await symlink(environment, path.join(folder.path, '.venv'), 'junction');
    served = await serveProject({
      given: {
        folder: folder.path,
        graphs: {},
        [Symbol.asyncDispose]: async () => folder[Symbol.asyncDispose](),
      },
    });
    client = new Client({ apiUrl: served.url });
  });
  after(() => served?.[Symbol.asyncDispose]());

  async function ask(threadId: string, payload: object) {
    const events: { event: string; data: unknown }[] = [];
    const stream = client.runs.stream(threadId, 'docs_agent', {
      context,
      streamMode: ['messages-tuple', 'custom', 'updates'],
      ...payload,
    });
    for await (const { event, data } of stream) events.push({ event, data });
    return events;
  }
  const question = (content: string) => ({ input: { messages: [{ role: 'user', content }] } });

  it('searches by a tool call, judges, streams its answer and cites places that exist', async () => {
    const { thread_id } = await client.threads.create();
    const events = await ask(thread_id, question('What happens when the server is killed?'));
    const custom = events.filter(({ event }) => event === 'custom').map(({ data }) => Object(data).type);
    assert.deepEqual(custom, ['retrieved', 'judged']);
    const tokens = events.filter(
      ({ event, data }) => event === 'messages' && Object(data)[1].langgraph_node === 'answer',
    );
    assert.ok(tokens.length > 20, `only ${tokens.length} tokens`);
    const { values } = await client.threads.getState<{
      messages: { type: string; content: string }[];
      citations: { file: string; line: number; heading: string; source: string }[];
    }>(thread_id);
    assert.deepEqual(
      values.messages.map(({ type }) => type),
      ['human', 'ai', 'tool', 'ai'],
    );
    assert.ok(values.citations.length > 0);
    for (const { file, line, heading, source } of values.citations) {
      const lines = (await readFile(path.join(projectRoot, file), 'utf8')).split('\n');
      // A later part of a long section may be cited.
      const above = lines.slice(0, line).filter((text) => /^#+ /.test(text));
      assert.ok(
        above.map((text) => text.replace(/^#+ /, '')).includes(heading.split(' › ').at(-1) ?? ''),
        source,
      );
      assert.notEqual(lines[line - 1]?.trim(), '', source);
      assert.ok(values.messages.at(-1)?.content.includes(`[${source}]`));
    }
  });

  it('asks when it is unsure, asks again after an answer it does not know, and continues', async () => {
    const { thread_id } = await client.threads.create();
    await ask(thread_id, question('Can I purge traces on Mars?'));
    const { next, tasks } = await client.threads.getState(thread_id);
    assert.deepEqual(next, ['approve']);
    assert.match(Object(tasks[0]?.interrupts[0]?.value).reason, /says nothing about .*mars/);
    await ask(thread_id, { command: { resume: { decision: 'perhaps' } } });
    const again = await client.threads.getState(thread_id);
    assert.match(Object(again.tasks[0]?.interrupts[0]?.value).problem, /perhaps.*none of the allowed/);
    await ask(thread_id, { command: { resume: { decision: 'reject' } } });
    const { values } = await client.threads.getState<{ messages: { content: string }[] }>(thread_id);
    assert.match(values.messages.at(-1)?.content ?? '', /^I don't know/);
  });

  it('names the context value that is wrong', async () => {
    const events = await ask((await client.threads.create()).thread_id, {
      ...question('What is a thread?'),
      context: { ...context, docs_dir: './nowhere' },
    });
    const { data } = events.find(({ event }) => event === 'error') ?? {};
    assert.match(Object(data).message, /docs_dir: there is no folder .*nowhere/);
  });

  it('describes its context by a schema', async () => {
    const { context_schema } = await client.assistants.getSchemas('docs_agent');
    assert.ok(context_schema?.properties && 'approval_threshold' in context_schema.properties);
  });
});
