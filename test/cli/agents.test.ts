import assert from 'node:assert/strict';
import { z } from 'zod';
import { type DevSession, devSession } from '../support/dev-session.ts';

const Thread = z.looseObject({ thread_id: z.string(), status: z.string(), metadata: z.looseObject({}) });
const Assistant = z.looseObject({ assistant_id: z.string(), name: z.string(), version: z.number() });
const Run = z.looseObject({ run_id: z.string(), status: z.string(), thread_id: z.string() });
const Cron = z.looseObject({ cron_id: z.string(), schedule: z.string(), enabled: z.boolean() });

describe('the commands for an agent server', function () {
  this.timeout(90_000);
  let session: DevSession;
  before(async () => {
    session = await devSession();
  });
  after(() => session[Symbol.asyncDispose]());

  /** A thread of the graph `talk` that has been run once. */
  async function talked(metadata: Record<string, unknown> = {}): Promise<string> {
    const { client } = session;
    const { thread_id } = await client.threads.create({ body: { metadata } });
    const body = { assistant_id: 'talk', input: { messages: 'Hello' } };
    await client.runs.wait({ params: { thread_id }, body });
    return thread_id;
  }

  describe('assistants', () => {
    it('are created, listed, changed, rolled back and deleted', async () => {
      const { json, agent } = session;
      const made = Assistant.parse(
        await json(['assistants', 'create', 'talk', '--name', 'calm', '--metadata', 'team=harbor']),
      );
      const changed = Assistant.parse(
        await json(['assistants', 'update', made.assistant_id, '--context', '{"tone": "calm"}']),
      );
      assert.equal(changed.version, 2);
      const listed = await json(['assistants', 'list', '--metadata', 'team=harbor']);
      assert.deepEqual(
        z
          .array(Assistant)
          .parse(listed)
          .map(({ name }) => name),
        ['calm'],
      );
      const back = await json(['assistants', 'set-latest', made.assistant_id, '1']);
      assert.equal(Assistant.parse(back).version, 1);
      assert.equal(
        z.array(z.unknown()).parse(await json(['assistants', 'versions', made.assistant_id])).length,
        2,
      );
      const refused = await agent(['assistants', 'delete', made.assistant_id]);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /Standard input is not a terminal. Pass --yes/);
      assert.equal((await agent(['assistants', 'delete', made.assistant_id, '--yes'])).code, 0);
      const gone = await agent(['assistants', 'get', made.assistant_id]);
      assert.equal(gone.code, 1);
      assert.match(gone.stderr, /not found/);
      const mistyped = await agent(['assistants', 'get', 'tlak']);
      assert.match(mistyped.stderr, /graph 'tlak' not found\. Graphs in langgraph\.json: .*\btalk\b/);
    });

    it('refuse a context that does not match the schema of their graph', async () => {
      const { agent, json } = session;
      const refused = await agent(['assistants', 'create', 'reply', '--context', '{"tone": "loud"}']);
      assert.equal(refused.code, 2);
      assert.match(
        refused.stderr,
        /--context does not match the context schema of the graph: context\.tone: /,
      );
      const made = Assistant.parse(
        await json(['assistants', 'create', 'reply', '--context', '{"tone": "brisk"}']),
      );
      const update = ['assistants', 'update', made.assistant_id, '--context', '{"tone": 9}'];
      assert.match((await agent(update)).stderr, /context\.tone: /);
      assert.equal((await agent(['assistants', 'delete', made.assistant_id, '--yes'])).code, 0);
    });

    it('show their graph', async () => {
      const { stdout } = await session.agent(['assistants', 'graph', 'talk']);
      assert.equal(stdout, '__start__ ──▶ say\nsay ──▶ __end__\n');
    });
  });

  describe('threads', () => {
    it('are listed as a table with their first words and the number of further ones', async () => {
      const batch = crypto.randomUUID();
      const id = await talked({ batch });
      await talked({ batch });
      const args = ['threads', 'list', '--metadata', `batch=${batch}`, '--sort', 'created_at', '--ascending'];
      const { stdout, stderr } = await session.agent([...args, '--limit', '1']);
      const [head = '', row = ''] = stdout.split('\n');
      assert.match(head, /^THREAD +STATUS +GRAPH +UPDATED +TITLE$/);
      assert.match(row, new RegExp(`^${id}  idle +talk +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  Hello$`));
      assert.match(stderr, /Showing 1 of 2. Use --offset 1 to see more\./);
      const all = z.array(Thread).parse(await session.json([...args, '--all', '--limit', '1']));
      assert.equal(all.length, 2);
    });

    it('show their state and history, and accept new states', async () => {
      const id = await talked();
      const { json } = session;
      const history = z
        .array(z.looseObject({ checkpoint_id: z.string(), next: z.array(z.string()) }))
        .parse(await json(['threads', 'history', id]));
      assert.deepEqual(
        history.map(({ next }) => next),
        [[], ['say'], ['__start__']],
      );
      const values = JSON.stringify({ messages: [{ type: 'human', content: 'Again' }] });
      await json(['threads', 'update-state', id, '--values', '-'], { input: values });
      const State = z.looseObject({ values: z.looseObject({ messages: z.array(z.unknown()) }) });
      assert.equal(State.parse(await json(['threads', 'state', id])).values.messages.length, 3);
      const earlier = await json(['threads', 'state', id, '--checkpoint', history[1]?.checkpoint_id ?? '']);
      assert.equal(State.parse(earlier).values.messages.length, 1);
    });

    it('are listed whole in a pipe, with their history', async () => {
      const said = `Hello ${'to all ships '.repeat(50)}and their crews`;
      const thread = await session.client.threads.create({ body: { metadata: { long: 'yes' } } });
      const params = { thread_id: thread.thread_id };
      const body = { assistant_id: 'reply', input: { messages: said } };
      await session.client.runs.wait({ params, body });
      const listed = await session.agent(['threads', 'list', '--metadata', 'long=yes']);
      assert.ok(listed.stdout.endsWith(`  ${said}\n`), listed.stdout);
      const history = await session.agent(['threads', 'history', thread.thread_id]);
      assert.ok(history.stdout.includes(`You said ${said}.`), history.stdout);
      await session.agent(['store', 'put', 'crews', 'all', JSON.stringify({ said })]);
      assert.ok((await session.agent(['store', 'search', 'crews'])).stdout.includes(`${said}"}`));
    });

    it('are copied, pruned and deleted', async () => {
      const id = await talked();
      const copy = Thread.parse(await session.json(['threads', 'copy', id]));
      assert.notEqual(copy.thread_id, id);
      await session.json(['threads', 'prune', copy.thread_id, '--yes']);
      assert.equal(
        z.array(z.unknown()).parse(await session.json(['threads', 'history', copy.thread_id])).length,
        1,
      );
      assert.equal((await session.agent(['threads', 'delete', id, copy.thread_id, '--yes'])).code, 0);
      assert.equal((await session.agent(['threads', 'get', id])).code, 1);
    });

    it('are found at the URL of a deployment', async () => {
      const id = await talked();
      const { code, stdout } = await session.cli([
        'threads',
        'get',
        id,
        '--deployment',
        session.deploymentUrl,
      ]);
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`thread_id +${id}`));
      const { host } = new URL(session.deploymentUrl);
      const mistaken = await session.cli(['threads', 'get', id, '--deployment', host]);
      assert.equal(mistaken.code, 2);
      assert.match(mistaken.stderr, /is not the URL of a deployment, such as http:/);
    });

    it('are refused at the platform’s URL, as datasets are at a deployment’s URL, with an explanation', async () => {
      const said = async (base: string, path: string) => {
        const answer = await fetch(base + path, { method: 'POST', body: '{}' });
        return [answer.status, await answer.text()].join(' ');
      };
      assert.match(await said(session.baseUrl, '/threads/search'), /^404 .*this is the URL of the platform/);
      assert.match(await said(session.baseUrl, '/runs/stream'), /^404 .*this is the URL of the platform/);
      assert.match(await said(session.deploymentUrl, '/datasets'), /^404 .*this is the URL of a deployment/);
      assert.match(await said(session.deploymentUrl, '/nowhere'), /^404 \{"detail":"Not Found"\}$/);
    });

    it('are found by the name of a served folder, which has no revisions', async () => {
      const id = await talked();
      const got = await session.cli(['threads', 'get', id, '--deployment', 'agents']);
      assert.equal(got.code, 0, got.stderr);
      const revisions = await session.cli(['revisions', 'agents']);
      assert.match(revisions.stderr, /'agents' has no revisions\./);
      const logs = await session.cli(['logs', 'agents']);
      assert.equal(logs.code, 0, logs.stderr);
      assert.match(logs.stdout, /Graphs run on Node /);
    });
  });

  describe('runs', () => {
    it('are started in the background, followed, joined and listed', async () => {
      const { json, agent } = session;
      const run = Run.parse(await json(['runs', 'create', 'talk', '--input', '{"messages": "Hello"}']));
      const followed = await agent(['runs', 'follow', run.thread_id, run.run_id]);
      assert.equal(followed.code, 0, followed.stderr);
      assert.match(followed.stdout, /Ships are safe in the harbor\./);
      assert.doesNotMatch(followed.stdout, /"messages"/);
      const joined = z
        .looseObject({ messages: z.array(z.unknown()) })
        .parse(await json(['runs', 'join', run.thread_id, run.run_id]));
      assert.equal(joined.messages.length, 2);
      const listed = z.array(Run).parse(await json(['runs', 'list', run.thread_id, '--status', 'success']));
      assert.deepEqual(
        listed.map(({ run_id }) => run_id),
        [run.run_id],
      );
      assert.equal((await agent(['runs', 'delete', run.thread_id, run.run_id, '--yes'])).code, 0);
    });

    it('that ask a question end with exit code 3 when followed or joined, until they are answered', async () => {
      const { json, agent } = session;
      const args = ['runs', 'create', 'approve', '--input', '{"wish": "a ship"}', '--stream-mode', 'custom'];
      const { thread_id, run_id } = Run.parse(await json(args));
      const ends = async (command: string) => {
        const { code, stdout, stderr } = await agent(['runs', command, thread_id, run_id]);
        return [
          code,
          stdout.includes('Grant a ship?'),
          /To answer: agent-harbor run .* --resume/.test(stderr),
        ];
      };
      assert.deepEqual(await ends('follow'), [3, true, true]);
      assert.deepEqual(await ends('join'), [3, true, true]);
      assert.equal((await agent(['run', 'approve', '--thread', thread_id, '--resume', 'yes'])).code, 0);
      // The run itself still ended with the question.
      assert.deepEqual(await ends('follow'), [0, true, false]);
      assert.deepEqual(await ends('join'), [0, true, false]);
    });

    it('are canceled, and joining a failed run fails', async () => {
      const { json, agent } = session;
      const waiting = Run.parse(await json(['runs', 'create', 'wait', '--input', '{"weather": "calm"}']));
      assert.equal((await agent(['runs', 'cancel', waiting.thread_id, waiting.run_id])).code, 0);
      const after = Run.parse(await json(['runs', 'get', waiting.thread_id, waiting.run_id]));
      assert.equal(after.status, 'interrupted');
      const stopped = await agent(['runs', 'join', waiting.thread_id, waiting.run_id]);
      assert.deepEqual([stopped.code, stopped.stderr], [1, '']);
      const failing = Run.parse(await json(['runs', 'create', 'fail', '--input', '{"depth": 3}']));
      const joined = await agent(['runs', 'join', failing.thread_id, failing.run_id]);
      assert.equal(joined.code, 1);
      assert.match(joined.stdout, /The ship has sunk/);
    });
  });

  it('stores, finds and deletes items of the store', async () => {
    const { json, agent } = session;
    await agent(['store', 'put', 'users.ada', 'home', '{"port": "Kiel"}']);
    await agent(['store', 'put', 'users.bob', 'home', '{"port": "Bergen"}']);
    const Items = z.array(z.looseObject({ key: z.string(), value: z.looseObject({ port: z.string() }) }));
    const found = Items.parse(await json(['store', 'search', 'users', '--filter', '{"port": "Kiel"}']));
    assert.deepEqual(
      found.map(({ value }) => value.port),
      ['Kiel'],
    );
    assert.deepEqual(await json(['store', 'namespaces']), [
      ['users', 'ada'],
      ['users', 'bob'],
    ]);
    assert.equal((await agent(['store', 'delete', 'users.ada', 'home', '--yes'])).code, 0);
    const gone = await agent(['store', 'get', 'users.ada', 'home']);
    assert.equal(gone.code, 1);
    assert.match(gone.stderr, /No item 'home' in users\.ada/);
  });

  it('creates, changes, pauses and deletes crons', async () => {
    const { json, agent } = session;
    const args = ['crons', 'create', 'talk', '--schedule', '0 9 * * 1-5', '--timezone', 'Europe/Berlin'];
    const cron = Cron.parse(await json([...args, '--input', '{"messages": "Morning"}']));
    const changed = Cron.parse(await json(['crons', 'update', cron.cron_id, '--schedule', '0 8 * * *']));
    assert.equal(changed.schedule, '0 8 * * *');
    assert.equal(Cron.parse(await json(['crons', 'disable', cron.cron_id])).enabled, false);
    const { stdout } = await agent(['crons', 'list']);
    assert.match(stdout, /0 8 \* \* \* +Europe\/Berlin +disabled/);
    assert.equal((await agent(['crons', 'delete', cron.cron_id, '--yes'])).code, 0);
    assert.deepEqual(await json(['crons', 'list']), []);
    const refused = await agent([...args.slice(0, 4), 'noon', '--input', '{}']);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /schedule/);
  });

  it('explains an invalid target', async () => {
    const nowhere = await session.cli(['threads', 'list', '--deployment', 'http://127.0.0.1:9']);
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.stderr, /nothing is listening there/);
    const unknown = await session.cli(['threads', 'list', '--deployment', 'nobody']);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /Deployment 'nobody' not found/);
    const noId = await session.agent(['threads', 'get', 'x']);
    assert.equal(noId.code, 2);
  });
});
