import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { startCli } from '../support/cli.ts';
import { type DevSession, devSession } from '../support/dev-session.ts';
import { quietPlatform } from '../support/quiet-platform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';

const Traces = z.array(z.looseObject({ id: z.string(), name: z.string() }));
const Example = z.looseObject({
  id: z.string(),
  inputs: z.looseObject({}).nullable(),
  outputs: z.looseObject({}).nullable(),
});

describe('the commands for traces', function () {
  this.timeout(90_000);
  let session: DevSession;
  before(async () => {
    session = await devSession();
  });
  after(() => session[Symbol.asyncDispose]());

  /** Runs a command with `--json`. */
  async function json(args: readonly string[], options = {}): Promise<unknown> {
    const { code, stdout, stderr } = await session.cli([...args, '--json'], options);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  }

  /** A unique name, so that a retried test does not find data of its first attempt. */
  const named = (what: string) => `${what} ${randomUUID().slice(0, 8)}`;

  let latest = 0;
  /** Posts a trace of one span to a project, with a later start than any trace posted before. @returns its ID */
  async function trace(project: string, fields: Record<string, unknown> = {}): Promise<string> {
    const id = randomUUID();
    while (Date.now() <= latest) await setTimeout(1);
    latest = Date.now();
    const now = new Date(latest).toISOString();
    const body = {
      id,
      name: 'ship',
      run_type: 'chain' as const,
      session_name: project,
      start_time: now,
      end_time: now,
      inputs: { question: 'Which port?' },
      ...fields,
    };
    await session.client.tracing.runs.create({ body });
    return id;
  }

  const names = async (args: readonly string[]) =>
    Traces.parse(await json(['traces', ...args])).map(({ name }) => name);
  const metadata = (entries: object) => ({ extra: { metadata: entries } });

  describe('traces', () => {
    it('are listed as a table and filtered in many ways', async () => {
      const project = named('list');
      await trace(project, { name: 'calm', tags: ['sea'] });
      await trace(project, {
        name: 'storm',
        error: 'Sunk.\n\nError: Sunk.\n at x',
        ...metadata({ crew: 3 }),
      });
      const { stdout } = await session.cli(['traces', '--project', project]);
      const [head = '', newest = ''] = stdout.split('\n');
      assert.match(head, /^TRACE +STARTED +STATUS +TOOK +NAME +ERROR$/);
      assert.match(newest, / error +\d+ ms +storm +Error: Sunk\.$/);
      assert.deepEqual(await names(['--project', project]), ['storm', 'calm']);
      assert.deepEqual(await names(['--project', project, '--limit', '1']), ['storm']);
      assert.deepEqual(await names(['--project', project, '--error']), ['storm']);
      assert.deepEqual(await names(['--project', project, '--metadata', 'crew=3']), ['storm']);
      assert.deepEqual(await names(['--project', project, '--tag', 'sea', '--search', 'port']), ['calm']);
      assert.deepEqual(await names(['--project', project, '--filter', 'eq(name, "calm")']), ['calm']);
      const wrong = await session.cli(['traces', '--project', project, '--filter', 'eq(']);
      assert.equal(wrong.code, 1);
      assert.match(wrong.stderr, /filter/);
    });

    it('come from the project with the newest trace, and appear while followed', async () => {
      const project = named('follow');
      await trace(named('older'));
      await trace(project, { name: 'first' });
      const args = ['traces', '--follow', '--data-dir', session.dataDir];
      await using running = startCli(args);
      await running.said('first');
      await eventually('the project to be named', () => running.stderr.includes(`Project ${project}`));
      await trace(project, { name: 'second' });
      await running.said('second');
      const { code, stdout } = await running.interrupt();
      assert.equal(code, 130);
      assert.equal(stdout.trimEnd().split('\n').length, 2, stdout);
    });

    it('are shown as trees with feedback, also from other platforms', async () => {
      await using remote = await quietPlatform(session.baseUrl);
      const root = await trace('tree', { name: 'root' });
      const child = await trace('tree', { name: 'child', parent_run_id: root });
      const leaf = await trace('tree', { name: 'leaf', run_type: 'tool', parent_run_id: child });
      await session.client.tracing.feedback.create({ body: { run_id: leaf, key: 'tone', value: 'rude' } });
      await session.client.tracing.feedback.create({
        body: { run_id: root, key: 'helpful', score: 1, comment: 'Yes.' },
      });
      const environment = { LANGSMITH_API_KEY: session.apiKey };
      const here = await session.cli(['trace', root]);
      const there = await session.cli(['trace', root, '--connection', remote.url], { environment });
      assert.match(
        here.stdout,
        /^✓ root chain, 0 ms\n└─ ✓ child chain, 0 ms\n {3}└─ ✓ leaf tool, 0 ms\n★ helpful 1 “Yes.”\n★ tone rude on leaf\n$/,
      );
      assert.deepEqual(there, here);
      const missing = await session.cli(['trace', randomUUID(), '--connection', remote.url], { environment });
      assert.deepEqual([missing.code, missing.stdout], [1, '']);
    });

    it('get feedback as a score, a value or a comment', async () => {
      const id = await trace(named('judged'));
      const { stdout } = await session.cli(['feedback', id, '--score', '0.5', '--comment', 'Too long.']);
      assert.equal(stdout, '★ helpful 0.5 “Too long.”\n');
      await json(['feedback', id, '--key', 'tone', '--value', 'rude']);
      const given = await session.client.tracing.feedback.list({ query: { run: [id] } });
      assert.deepEqual(given.map(({ key, score, value, comment }) => [key, score, value, comment]).sort(), [
        ['helpful', 0.5, null, 'Too long.'],
        ['tone', null, 'rude', null],
      ]);
      const nothing = await session.cli(['feedback', id]);
      assert.deepEqual([nothing.code, /Pass good or bad, --score/.test(nothing.stderr)], [2, true]);
      const missing = await session.cli(['feedback', randomUUID(), '--score', '1']);
      assert.equal(missing.code, 1, missing.stdout);
      assert.match(missing.stderr, /run/i);
    });

    it('show those of the agent in this folder first, and accept "last"', async () => {
      const cwd = dirname(session.config);
      const { run_id } = await session.client.runs.create({
        params: { thread_id: (await session.client.threads.create({ body: {} })).thread_id },
        body: { assistant_id: 'reply', input: { messages: 'Ahoy' } },
      });
      const other = named('newer');
      await eventually(
        'its trace',
        async () => (await session.cli(['traces', '--project', 'agents'])).stdout,
        (text) => text.includes(run_id) && !text.includes('pending'),
      );
      await trace(other, { name: 'newest of all' });
      const here = await session.cli(['traces', 'list'], { cwd });
      assert.ok(here.stdout.includes(run_id), here.stdout);
      assert.match(here.stderr, /Project agents\. Use --project for another one\./);
      const last = await session.cli(['trace', 'last'], { cwd });
      assert.match(last.stdout, /^✓ reply chain/);
      const newest = await session.cli(['trace']);
      assert.match(newest.stdout, /^✓ newest of all /);
      const rated = await session.cli(['feedback', run_id, 'good']);
      assert.equal(rated.stdout, '★ helpful 1\n', rated.stderr);
    });

    it('are grouped in projects, which can be listed', async () => {
      await trace('a project');
      const { stdout } = await session.cli(['projects', '--name-contains', 'a proj']);
      assert.match(stdout, /^PROJECT +LATEST TRACE .*ID\na project +\d{4}-/);
      const missing = await session.cli(['traces', '--project', 'nowhere']);
      assert.equal(missing.code, 1);
      assert.match(missing.stderr, /Project 'nowhere' not found/);
    });
  });

  describe('a purge', () => {
    it('previews what it would delete, and waits until the deletion is verified', async () => {
      const project = named('purge');
      const elsewhere = named('elsewhere');
      await trace(project, { name: 'kept' });
      await trace(project, { name: 'a', ...metadata({ user: 'u1' }) });
      await trace(project, { name: 'b', ...metadata({ mail: 'u1@example.com' }) });
      await trace(elsewhere, metadata({ user: 'u1' }));
      const args = [
        'purge',
        '--project',
        project,
        '--metadata',
        'user=u1',
        '--metadata',
        'mail=u1@example.com',
      ];
      const dry = await session.cli([...args, '--dry-run']);
      assert.equal(dry.stdout, '2 traces (2 spans, 0 feedback) would be deleted. Nothing was touched.\n');
      assert.equal((await names(['--project', project])).length, 3);
      const { code, stdout, stderr } = await session.cli([...args, '--yes', '--wait']);
      assert.equal(code, 0, stderr);
      assert.equal(stdout, 'Verified: 2 traces with 2 spans deleted, no data remains.\n');
      assert.deepEqual(await names(['--project', project]), ['kept']);
      assert.equal((await names(['--project', elsewhere])).length, 1);
    });

    it('by ID sends requests of a thousand', async () => {
      const id = await trace('many');
      const ids = [...Array.from({ length: 2_000 }, () => randomUUID()), id].join('\n');
      const args = ['purge', '--project', 'many', '--ids', '-', '--yes', '--wait'];
      const { code, stdout, stderr } = await session.cli(args, { input: ids });
      assert.equal(code, 0, stderr);
      assert.match(stderr, /Queued 1 of 3 requests\.\n(.*\n)*Queued 3 of 3 requests\./);
      assert.equal(stdout, 'Verified: 1 trace with 1 span deleted, no data remains.\n');
      assert.deepEqual(await names(['--project', 'many']), []);
    });

    it('by age can be followed later', async () => {
      await trace('aged');
      const args = ['purge', '--project', 'aged', '--older-than', '0s', '--yes'];
      const queued = z.object({ job_ids: z.array(z.string()) }).parse(await json(args));
      const [job = ''] = queued.job_ids;
      const Job = z.looseObject({ status: z.string(), deleted: z.number() });
      const done = Job.parse(await json(['purge', 'job', job, '--wait']));
      assert.deepEqual([done.status, done.deleted], ['verified', 1]);
      const { stdout } = await session.cli(['purge', 'jobs', '--limit', '1']);
      assert.match(stdout, new RegExp(`${job} +verified +before +1 +1 `));
    });

    it('asks for confirmation, and explains missing options', async () => {
      const project = named('asked');
      await trace(project);
      const cases: [string[], RegExp][] = [
        [['--project', project, '--older-than', '0s'], /Standard input is not a terminal. Pass --yes/],
        [['--older-than', '1d'], /--project is required/],
        [['--project', project], /Pass --ids, --metadata or --older-than/],
        [['--project', project, '--ids', 'x'], /'x' is not a valid trace ID/],
        [
          ['--project', project, '--ids', randomUUID(), '--older-than', '1d'],
          /Omit --metadata and --older-than/,
        ],
        [['--project', project, '--older-than', 'soon'], /Must be a number with/],
      ];
      const refused = async ([args, sentence]: [string[], RegExp]) => {
        const { code, stderr } = await session.cli(['purge', ...args]);
        assert.match(stderr, sentence);
        assert.equal(code, 2, stderr);
      };
      await Promise.all(cases.map(refused));
      assert.equal((await names(['--project', project])).length, 1);
    });

    it('on a platform without jobs sends no dry run, and only purges by ID', async () => {
      await using remote = await quietPlatform(session.baseUrl);
      const project = named('remote');
      const old = await trace(project, metadata({ user: 'u1' }));
      await trace(project, { name: 'kept' });
      await trace('other', metadata({ user: 'u1' }));
      const environment = { LANGSMITH_API_KEY: session.apiKey };
      const args = ['purge', '--project', project, '--metadata', 'user=u1', '--connection', remote.url];
      const dry = await session.cli([...args, '--dry-run'], { environment });
      assert.equal(dry.stdout, '1 trace would be deleted. Nothing was touched.\n');
      assert.deepEqual(remote.deletes, []);
      const { code, stdout, stderr } = await session.cli([...args, '--yes', '--wait'], { environment });
      assert.equal(code, 0, stderr);
      assert.equal(stdout, '');
      assert.match(stderr, /deletes them later and does not report when it is done/);
      const { id } = (await session.client.tracing.sessions.list({ query: { name: project } }))[0] ?? {};
      assert.deepEqual(remote.deletes, [{ session_id: id, trace_ids: [old] }]);
      await eventually('it is gone', async () => (await names(['--project', project])).length === 1);
    });
  });

  describe('datasets', () => {
    it('are imported from CSV, and unchanged by an export and import as JSON Lines', async () => {
      await using folder = await temporaryFolder();
      const [ports, copy, fromCsv] = [named('ports'), named('copy'), named('from csv')];
      const csv = join(folder.path, `${ports}.csv`);
      await writeFile(csv, 'question,answer\n"Which port, please?",Kiel\nWhich sea?,Baltic\n');
      await json(['datasets', 'import', csv, '--inputs', 'question', '--outputs', 'answer']);
      const out = join(folder.path, `${copy}.jsonl`);
      await session.cli(['datasets', 'export', ports, '--output', out]);
      const forgotten = await session.cli(['datasets', 'split', ports, 'train', '--remove']);
      assert.equal(forgotten.code, 2);
      assert.match(forgotten.stderr, /Pass the IDs of the examples to add to 'train'/);
      const lines = (await readFile(out, 'utf8')).trimEnd().split('\n');
      const contents = (texts: readonly string[]) =>
        texts
          .map((text) => Example.parse(JSON.parse(text)))
          .map(({ inputs, outputs }) => JSON.stringify([inputs, outputs]))
          .sort();
      assert.deepEqual(contents(lines), [
        '[{"question":"Which port, please?"},{"answer":"Kiel"}]',
        '[{"question":"Which sea?"},{"answer":"Baltic"}]',
      ]);
      assert.deepEqual(
        await json(['datasets', 'import', out]).then(
          (one) => z.looseObject({ count: z.number() }).parse(one).count,
        ),
        2,
      );
      const again = await session.cli(['datasets', 'export', copy]);
      assert.deepEqual(contents(again.stdout.trimEnd().split('\n')), contents(lines));
      const exported = await session.cli(['datasets', 'export', ports, '--format', 'csv']);
      assert.match(exported.stdout, /^id,input\.question,output\.answer,metadata\r?\n/);
      const reread = await session.cli(['datasets', 'import', '-', '--name', fromCsv, '--format', 'csv'], {
        input: exported.stdout,
      });
      assert.equal(reread.code, 0, reread.stderr);
      const { stdout } = await session.cli(['datasets', 'export', fromCsv]);
      assert.deepEqual(contents(stdout.trimEnd().split('\n')), contents(lines));
    });

    it('are imported from the files of other tools, and exported in those formats', async () => {
      await using folder = await temporaryFolder();
      const file = join(import.meta.dirname, '../fixtures/example-files/lights.evalset.json');
      const name = named('lights');
      await json(['datasets', 'import', file, '--name', name]);
      const out = join(folder.path, 'lights.evalset.json');
      await session.cli(['datasets', 'export', name, '--output', out]);
      const casesOf = async (path: string) => {
        const EvalSet = z.looseObject({ eval_cases: z.array(z.looseObject({ eval_id: z.string() })) });
        const { eval_cases } = EvalSet.parse(JSON.parse(await readFile(path, 'utf8')));
        return eval_cases.sort((a, b) => a.eval_id.localeCompare(b.eval_id));
      };
      assert.deepEqual(await casesOf(out), await casesOf(file));
      const unknown = await session.cli(['datasets', 'import', join(folder.path, 'samples.json')]);
      assert.equal(unknown.code, 2);
      assert.match(unknown.stderr, /samples\.json' is unknown\. Pass --format with csv, .* or inspect/);
    });

    it('have versions and tags, and examples that can be deleted softly or permanently', async () => {
      await json(['datasets', 'create', 'versions', '--description', 'Of ships.']);
      const add = (inputs: string) => json(['datasets', 'add', 'versions', '--inputs', inputs]);
      const soft = Example.parse(await add('{"ship": "soft"}'));
      const hard = Example.parse(await add('{"ship": "hard"}'));
      await json(['datasets', 'tag', 'versions', 'before']);
      await session.cli(['datasets', 'delete-examples', soft.id, '--yes']);
      await session.cli(['datasets', 'delete-examples', hard.id, '--hard', '--yes']);
      assert.deepEqual(await json(['datasets', 'examples', 'versions']), []);
      const before = z
        .array(Example)
        .parse(await json(['datasets', 'examples', 'versions', '--as-of', 'before']));
      assert.deepEqual(
        before.filter(({ inputs }) => inputs !== null).map(({ inputs }) => inputs),
        [{ ship: 'soft' }],
      );
      const { stdout } = await session.cli(['datasets', 'diff', 'versions', 'before']);
      assert.match(stdout, new RegExp(`- ${soft.id}`));
      assert.match((await session.cli(['datasets', 'versions', 'versions'])).stdout, /before/);
      assert.equal((await session.cli(['datasets', 'delete', 'versions', '--yes'])).code, 0);
      const gone = await session.cli(['datasets', 'get', 'versions']);
      assert.equal(gone.code, 1);
      assert.match(gone.stderr, /Dataset 'versions' not found/);
    });

    it('get examples from runs, with plain messages where LangChain.js traced its objects', async () => {
      const project = named('serialized');
      const dataset = named('from runs');
      await json(['datasets', 'create', dataset]);
      const message = (name: string, content: string) => ({
        lc: 1,
        type: 'constructor',
        id: ['langchain_core', 'messages', name],
        kwargs: { content, id: 'm' },
      });
      const inputs = { messages: [message('HumanMessage', 'Where to?')], wind: 3 };
      const traced = await trace(project, { inputs, outputs: { output: message('AIMessage', 'Kiel') } });
      const plain = await trace(project, { inputs: { question: 'Where to?' } });
      const answered = await trace(project, { inputs: { lg_name: 'Command', resume: 'yes', goto: [] } });
      const add = (run: string) => session.cli(['datasets', 'add', dataset, '--run', run, '--json']);
      const read = async (run: string) => {
        const { stdout, stderr } = await add(run);
        const { inputs, outputs } = Example.parse(JSON.parse(stdout));
        return { inputs, outputs, said: stderr };
      };
      assert.deepEqual(await read(traced), {
        inputs: { messages: [{ type: 'human', content: 'Where to?', id: 'm' }], wind: 3 },
        outputs: { output: { type: 'ai', content: 'Kiel', id: 'm' } },
        said: '',
      });
      assert.deepEqual(await read(plain), { inputs: { question: 'Where to?' }, outputs: null, said: '' });
      assert.match(
        (await read(answered)).said,
        /This run answered an interrupt: its inputs are the answer\./,
      );
      const stored = await session.client.tracing.runs.get({ params: { run_id: traced } });
      assert.deepEqual(stored.inputs, inputs);
    });

    it('list their experiments with average scores and costs', async () => {
      const dataset = named('compared');
      const { id } = Example.pick({ id: true }).parse(await json(['datasets', 'create', dataset]));
      const experiment = named('shorter prompt');
      const { client } = session;
      await client.tracing.sessions.create({ body: { name: experiment, reference_dataset_id: id } });
      for (const score of [1, 0]) {
        const usage_metadata = { input_tokens: 1, output_tokens: 1, total_tokens: 2, total_cost: 0.02 };
        const told = { run_type: 'llm', outputs: { usage_metadata } };
        const run_id = await trace(experiment, score === 0 ? { error: 'Sunk.' } : told);
        await client.tracing.feedback.create({ body: { run_id, key: 'correct', score } });
      }
      const { stdout } = await eventually(
        'both scores',
        () => session.cli(['datasets', 'experiments', dataset]),
        ({ stdout }) => stdout.includes('(2)'),
      );
      assert.match(stdout, /^EXPERIMENT +STARTED +RUNS +FAILED +TOOK +COST +FEEDBACK +ID\n/);
      assert.match(
        stdout,
        new RegExp(
          `\\n${experiment} .* 2 +50 % +\\d+ ms +\\$0\\.02 +correct 0\\.5 \\(2\\) +[0-9a-f-]{36}\\n$`,
        ),
      );
      assert.match(
        (await session.cli(['experiments'])).stderr,
        /agent-harbor datasets experiments <dataset>/,
      );
    });

    it('keep the order of their files, and end with a line', async () => {
      const name = named('order');
      const questions = Array.from({ length: 12 }, (_, at) => `question ${12 - at}`);
      const input = questions.map((question) => `${JSON.stringify({ inputs: { question } })}\n`).join('');
      await session.cli(['datasets', 'import', '-', '--name', name, '--format', 'jsonl'], { input });
      for (const format of ['jsonl', 'promptfoo', 'inspect', 'csv']) {
        const { stdout } = await session.cli(['datasets', 'export', name, '--format', format]);
        assert.deepEqual(stdout.match(/question \d+/g), questions, format);
        assert.match(stdout, /[^\r\n]\r?\n$/, format);
      }
    });

    it('that a format cannot express leave the file that they would be exported to unchanged', async () => {
      await using folder = await temporaryFolder();
      const name = named('plain');
      const input = '{"inputs": {"question": "Which port?"}}\n';
      await session.cli(['datasets', 'import', '-', '--name', name, '--format', 'jsonl'], { input });
      const file = join(folder.path, 'kept.evalset.json');
      await writeFile(file, 'kept');
      const { code, stderr } = await session.cli(['datasets', 'export', name, '--output', file]);
      assert.equal(code, 1);
      assert.match(stderr, /has no 'messages' in its inputs/);
      assert.equal(await readFile(file, 'utf8'), 'kept');
      assert.deepEqual(await readdir(folder.path), ['kept.evalset.json']);
    });

    it('report the row of a file that is not valid, and are then not created', async () => {
      const options = { input: '{"inputs": {"a": 1}}\nnonsense\n' };
      const args = ['datasets', 'import', '-', '--name', 'wrong', '--format', 'jsonl'];
      const { code, stderr } = await session.cli(args, options);
      assert.equal(code, 1);
      assert.match(stderr, /Line 2 is not a JSON object/);
      const csv = ['datasets', 'import', '-', '--name', 'wrong', '--format', 'csv', '--inputs', 'q'];
      const missing = await session.cli(csv, { input: 'a,b\n1,2\n' });
      assert.match(missing.stderr, /Row 1 has no 'q'; it has a, b/);
      const fixtures = join(import.meta.dirname, '../fixtures/example-files');
      const samples = ['datasets', 'import', join(fixtures, 'samples.jsonl'), '--name', 'wrong'];
      assert.match(
        (await session.cli(samples)).stderr,
        /Row 1 .*Read samples of Inspect with --format inspect/,
      );
      const made = await session.cli(['datasets', 'get', 'wrong']);
      assert.match(made.stderr, /Dataset 'wrong' not found/);
    });
  });
});
