import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { cli } from '../support/cli.ts';
import { type DevSession, devSession } from '../support/dev-session.ts';
import { requirePython, servablePythonProject } from '../support/python-projects.ts';
import { serveProject } from '../support/served-project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Archives of `langgraph dev` of npm (1.5.1) and of PyPI (0.4.40) of the same three runs and a fork. */
const peers = resolve(import.meta.dirname, '../fixtures/langgraph-dev');
const Imported = z.looseObject({ thread_id: z.string(), status: z.string(), error: z.string().optional() });
const Messages = z.looseObject({ messages: z.array(z.looseObject({ content: z.string() })) });

describe('threads moved between servers', function () {
  this.timeout(120_000);
  let session: DevSession;
  before(async () => {
    session = await devSession();
  });
  after(() => session[Symbol.asyncDispose]());

  const contents = (values: unknown) => Messages.parse(values).messages.map(({ content }) => content);

  /** Each line that an import with `--json` printed. */
  async function imported(args: readonly string[], options = {}) {
    const { stdout, stderr } = await session.agent(['threads', 'import', ...args, '--json'], options);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return { threads: lines.map((line) => Imported.parse(JSON.parse(line))), stderr };
  }

  /** Creates a thread of `talk` with two runs and a fork. @returns its ID. */
  async function talked() {
    const { client } = session;
    const { thread_id } = await client.threads.create({ body: { metadata: { owner: 'Ada' } } });
    const params = { thread_id };
    for (const messages of ['Hello', 'Again']) {
      await client.runs.wait({ params, body: { assistant_id: 'talk', input: { messages } } });
    }
    const [, , fork] = await client.threads.history({ params, body: {} });
    const body = { assistant_id: 'talk', input: { messages: 'Otherwise' }, checkpoint: fork?.checkpoint };
    await client.runs.wait({ params, body });
    return thread_id;
  }

  /** A history without the fields that name its thread. */
  async function historyOf(thread_id: string): Promise<unknown> {
    const states = await session.client.threads.history({ params: { thread_id }, body: { limit: 100 } });
    return JSON.parse(JSON.stringify(states).replaceAll(thread_id, 'THREAD'));
  }

  it('keep their whole history and can continue', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'threads.jsonl.gz');
    const id = await talked();
    const before = await session.client.threads.get({ params: { thread_id: id } });
    const history = await historyOf(id);
    const exported = await session.agent(['threads', 'export', id, '--output', file]);
    assert.equal(exported.code, 0, exported.stderr);
    const lines = gunzipSync(await readFile(file))
      .toString()
      .trimEnd()
      .split('\n');
    assert.deepEqual(JSON.parse(lines.at(-1) ?? ''), { kind: 'end', threads: 1 });
    await session.client.threads.delete({ params: { thread_id: id } });
    const { threads } = await imported([file]);
    assert.deepEqual(
      threads.map(({ thread_id, status }) => [thread_id, status]),
      [[id, 'imported']],
    );
    assert.deepEqual(await session.client.threads.get({ params: { thread_id: id } }), before);
    assert.deepEqual(await historyOf(id), history);
    const body = { assistant_id: 'talk', input: { messages: 'More' } };
    const values = await session.client.runs.wait({ params: { thread_id: id }, body });
    assert.deepEqual(contents(values), [...contents(before.values), 'More', 'Ships are safe in the harbor.']);
  });

  it('get new IDs beside the originals, and keep their interrupts', async () => {
    const { client } = session;
    const { thread_id } = await client.threads.create({ body: {} });
    await client.runs.wait({
      params: { thread_id },
      body: { assistant_id: 'approve', input: { wish: 'a ship' } },
    });
    const { stdout } = await session.agent(['threads', 'export', thread_id]);
    const { threads } = await imported(['-', '--new-ids'], { input: stdout });
    const copy = threads[0]?.thread_id ?? '';
    assert.notEqual(copy, thread_id);
    assert.equal((await client.threads.get({ params: { thread_id: copy } })).status, 'interrupted');
    const body = { assistant_id: 'approve', command: { resume: 'yes' } };
    const values = await client.runs.wait({ params: { thread_id: copy }, body });
    assert.deepEqual(values, { wish: 'a ship', granted: 'yes' });
    assert.equal((await client.threads.get({ params: { thread_id } })).status, 'interrupted');
  });

  it('that already exist are refused, skipped or replaced, as --if-exists says', async () => {
    const id = await talked();
    const { stdout: input } = await session.agent(['threads', 'export', id]);
    const statuses = async (args: string[]) => (await imported(args, { input })).threads[0];
    const refused = await statuses(['-']);
    assert.equal(refused?.status, 'failed');
    assert.match(refused?.error ?? '', /already exists/);
    const { stderr } = await session.agent(['threads', 'import', '-'], { input });
    assert.match(stderr, /already exists[\s\S]*--if-exists skip, --if-exists replace or --new-ids/);
    assert.equal((await statuses(['-', '--if-exists', 'skip']))?.status, 'skipped');
    await session.client.threads.update({ params: { thread_id: id }, body: { metadata: { owner: 'Bob' } } });
    assert.equal((await statuses(['-', '--if-exists', 'replace']))?.status, 'imported');
    const { metadata } = await session.client.threads.get({ params: { thread_id: id } });
    assert.equal(metadata.owner, 'Ada');
  });

  it('with a large history are sent in many requests', async () => {
    const { client } = session;
    const supersteps = Array.from({ length: 700 }, (_, at) => ({
      updates: [{ values: { steps: at }, as_node: 'step' }],
    }));
    const made = await client.threads.create({ body: { metadata: { graph_id: 'slow' }, supersteps } });
    const { stdout: input } = await session.agent(['threads', 'export', made.thread_id]);
    assert.ok(input.split('\n').length > 2_000, `${input.split('\n').length} lines`);
    const { threads } = await imported(['-', '--new-ids'], { input });
    assert.equal(threads[0]?.status, 'imported');
    const history = await client.threads.history({
      params: { thread_id: threads[0]?.thread_id ?? '' },
      body: { limit: 1_000 },
    });
    assert.equal(history.length, 700);
  });

  it('are refused when the file is truncated, altered, or not an archive', async () => {
    const id = await talked();
    const { stdout } = await session.agent(['threads', 'export', id]);
    const lines = stdout.trimEnd().split('\n');
    const cases: [string, RegExp][] = [
      [lines.slice(0, -1).join('\n'), /It is incomplete/],
      [lines.slice(1).join('\n'), /its first line is not that of a file/],
      [[...lines.slice(0, 3), '{"kind": "checkpoint"}'].join('\n'), /line 4: /],
      ['{bad', /line 1 is not valid JSON/],
      ['{"kind": "of another program"}', /its first line is not that of a file/],
    ];
    for (const [input, sentence] of cases) {
      const args = ['threads', 'import', '-', '--if-exists', 'skip'];
      const { code, stderr } = await session.agent(args, { input });
      assert.match(stderr, sentence);
      assert.equal(code, 1);
    }
    const missing = await session.agent(['threads', 'import', 'no-such-file']);
    assert.match(missing.stderr, /File or folder not found: no-such-file/);
    const empty = await session.agent(['threads', 'import', import.meta.dirname]);
    assert.match(empty.stderr, /contains no threads of langgraph dev/);
  });

  it('show as failed until complete, and are deleted when no graph can read them', async () => {
    const { client } = session;
    const id = randomUUID();
    const now = new Date().toISOString();
    const thread = {
      thread_id: id,
      status: 'idle' as const,
      metadata: { graph_id: 'talk' },
      created_at: now,
      updated_at: now,
    };
    const params = { thread_id: id };
    await client.archive.importThread({ params, body: { thread, records: [], last: false } });
    const unfinished = await client.threads.get({ params });
    assert.equal(unfinished.status, 'error');
    assert.match(JSON.stringify(unfinished.error), /This thread has been imported only in part/);
    const nonsense = {
      kind: 'checkpoint' as const,
      checkpoint_ns: '',
      checkpoint_id: '1f1e5bd1-d676-6110-8000-2779ac2823bd',
      parent_checkpoint_id: null,
      run_id: null,
      checkpoint: { type: 'json', encoding: 'utf8' as const, data: 'nonsense' },
      channel_versions: {},
      metadata: {},
      created_at: now,
    };
    await assert.rejects(
      client.archive.importThread({ params, body: { records: [nonsense], last: true } }),
      /Graph 'talk' cannot read thread/,
    );
    await assert.rejects(client.threads.get({ params }), /not found/);
    const pickled = { ...nonsense, checkpoint: { ...nonsense.checkpoint, type: 'pickle' } };
    await assert.rejects(
      client.archive.importThread({ params, body: { thread, records: [pickled], last: true } }),
      /Pickled values cannot be imported/,
    );
  });

  describe('from npm’s langgraph dev', () => {
    it('keep their history, forks and interrupts, and can continue', async () => {
      const { client } = session;
      const { threads, stderr } = await imported([join(peers, 'javascript'), '--if-exists', 'replace']);
      assert.match(stderr, /Only threads are imported/);
      assert.deepEqual(
        threads.map(({ status }) => status),
        ['imported', 'imported'],
      );
      const [talk = '', approve = ''] = threads.map(({ thread_id }) => thread_id);
      const thread = await client.threads.get({ params: { thread_id: talk } });
      assert.equal(thread.metadata.owner, 'Ada');
      const said = 'Ships are safe in the harbor.';
      const states = await client.threads.history({ params: { thread_id: talk }, body: { limit: 100 } });
      // The fork started at the first question, so the messages before the question are still there.
      assert.deepEqual(contents(thread.values), ['Hello', 'Otherwise', said]);
      const longest = states.find(({ values }) => contents(values).length === 4);
      assert.deepEqual(contents(longest?.values), ['Hello', said, 'Again', said]);
      const values = await client.runs.wait({
        params: { thread_id: talk },
        body: { assistant_id: 'talk', input: { messages: 'More' } },
      });
      assert.deepEqual(contents(values), ['Hello', 'Otherwise', said, 'More', said]);
      const body = { assistant_id: 'approve', command: { resume: true } };
      assert.deepEqual(await client.runs.wait({ params: { thread_id: approve }, body }), {
        wish: 'a ship',
        granted: true,
      });
    });

    it('are refused with the file name when a file has another format', async () => {
      await using folder = await temporaryFolder();
      const file = join(folder.path, '.langgraphjs_api.checkpointer.json');
      await writeFile(file, '{"json": {"storage": []}}');
      const { code, stderr } = await session.agent(['threads', 'import', folder.path]);
      assert.equal(code, 1);
      assert.match(stderr, /checkpointer\.json is not in the format of langgraph dev/);
    });
  });

  it('from PyPI’s langgraph dev keep their history and interrupts, and can continue', async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    const graphs = await readFile(join(peers, 'python', 'graphs.py'), 'utf8');
    const config = {
      dependencies: ['.'],
      graphs: { talk: './graphs.py:talk', approve: './graphs.py:approve' },
    };
    const files = { 'graphs.py': graphs, 'langgraph.json': JSON.stringify(config) };
    await using served = await serveProject({
      given: await servablePythonProject(python, { empty: true, files }),
    });
    const dispatcher = createDispatcher({});
    const client = new Client({
      dispatcher,
      connection: {
        baseUrl: served.platformUrl,
        controlPlaneUrl: served.platformUrl,
        deploymentUrl: served.url,
        credentials: {},
      },
    });
    const result = await cli([
      'threads',
      'import',
      join(peers, 'python'),
      '--deployment',
      served.url,
      '--json',
    ]);
    assert.equal(result.code, 0, result.stderr);
    const [talk = '', approve = ''] = result.stdout
      .trimEnd()
      .split('\n')
      .map((line) => Imported.parse(JSON.parse(line)).thread_id);
    const thread = await client.threads.get({ params: { thread_id: talk } });
    const said = 'Ships are safe in the harbor.';
    assert.deepEqual(contents(thread.values), ['Hello', 'Otherwise', said]);
    assert.equal(thread.metadata.owner, 'Ada');
    const states = await client.threads.history({ params: { thread_id: talk }, body: { limit: 100 } });
    assert.ok(states.some(({ values }) => contents(values).join() === ['Hello', said, 'Again', said].join()));
    const body = { assistant_id: 'approve', command: { resume: true } };
    assert.deepEqual(await client.runs.wait({ params: { thread_id: approve }, body }), {
      wish: 'a ship',
      granted: true,
    });
    await dispatcher.destroy();
  });
});
