import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { Client } from '../../../../src/client/client.ts';
import { localConnection } from '../../../../src/client/connection.ts';
import { createDispatcher } from '../../../../src/client/dispatcher.ts';
import { RecordingLine, ReplayReport } from '../../../../src/contract/agent-server/exchanges.ts';
import type { Kinds, SavedEnd } from '../../../../src/replay/run-file.ts';
import { secretValues } from '../../../../src/replay/secret-values.ts';
import { makeRunFile } from '../../../../src/run-files/make-run-file.ts';
import { replayRunFile } from '../../../../src/run-files/replay-run-file.ts';
import { openRunFile, saveRunFile } from '../../../../src/run-files/run-file-on-disk.ts';
import { readOutline } from '../../../../src/run-files/run-file-outline.ts';
import { findStart } from '../../../../src/run-files/run-file-states.ts';
import { projectRoot } from '../../../support/cache.ts';
import { PYTHON_PACKAGES } from '../../../support/evaluation-packages.ts';
import { type ModelOrigin, modelOrigin } from '../../../support/model-origin.ts';
import { requireEnvironment } from '../../../support/python-projects.ts';
import { replayProject } from '../../../support/replay-project.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';
import { skip } from '../../../support/skip.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { commandWithoutNetwork } from '../../../support/without-network.ts';

const Page = z.looseObject({ exchanges: z.array(RecordingLine), next: z.string().nullable() });

/** The requests of the first run of each agent: node, task, path. */
const ASKED = {
  node: [
    'ask model /v1/messages',
    'ask model /v1/messages',
    'ask model /v1/messages',
    'plan model /v1/chat/completions',
    'research|look tool /',
    'research|look tool /stream',
    'research|look tool /tool',
    'research|look tool /tool/http',
    'research|look tool /tool/undici',
    'research|stream model /v1/chat/completions',
  ],
  python: [
    'ask model /v1/messages',
    'ask model /v1/messages',
    'ask model /v1/messages',
    'plan model /v1/chat/completions',
    'research|look tool /tool',
    'research|search tool /',
    'research|search tool /stream',
    'research|search tool /tool/aiohttp',
    'research|stream model /v1/chat/completions',
  ],
};
/** By language: the ways in which the agent `failing` switches a connection to another protocol. */
const SWITCHES = { node: ['http', 'undici', 'WebSocket', 'CONNECT'], python: ['aiohttp'] };
/** Values that an env file may have. */
const SECRETS = Array.from({ length: 40 }, (_, at) => `planted-${at}-sécret/${at}=`);
/** More than two parts, the last of which is incomplete. */
const LONG_BYTES = 2_500_000;
/** This is also pasted. */
const INPUT = { messages: [{ role: 'user', content: `hello ${SECRETS.join(' and ')}` }] };

for (const language of ['node', 'python'] as const) describeRecording(language);

function describeRecording(language: 'node' | 'python'): void {
  describe(`a recorded run of ${language === 'node' ? 'Node' : 'Python'}`, function () {
    this.timeout(60_000);
    const count = ASKED[language].length;
    const tools = ASKED[language].filter((line) => line.includes(' tool ')).length;
    const dispatcher = createDispatcher({});
    let origin: ModelOrigin;
    let served: ServedProject;
    let recorded: Awaited<ReturnType<typeof recordBoth>>;

    before(async function () {
      const python =
        language === 'python'
          ? await requireEnvironment(this, 'langgraph-1.2', 'evaluation', PYTHON_PACKAGES)
          : undefined;
      origin = await modelOrigin();
      const project = await replayProject(
        {
          MODEL_ORIGIN: origin.url,
          OPENAI_API_KEY: 'planted-openai-key',
          ANTHROPIC_API_KEY: 'planted-anthropic-key',
          ...Object.fromEntries(SECRETS.map((value, at) => [`PLANTED_${at}`, `'${value}'`])),
          ...(python === undefined ? {} : { AGENT_HARBOR_PYTHON: python }),
        },
        language,
      );
      served = await serveProject({ given: project });
      recorded = await recordBoth();
    });
    after(async () => {
      await dispatcher.close();
      await served?.[Symbol.asyncDispose]();
      await origin.close();
    });

    const clientOf = ({ url: deploymentUrl, platformUrl: baseUrl, apiKey }: ServedProject) =>
      new Client({ dispatcher, connection: localConnection({ baseUrl, apiKey, deploymentUrl }) });

    async function call(route: string, body?: object): Promise<unknown> {
      const response = await fetch(served.url + route, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      assert.ok(response.ok, `${route}: ${response.status} ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    }

    const Created = z.looseObject({ thread_id: z.string(), run_id: z.string(), status: z.string() });
    async function run(threadId: string, body: object) {
      const route = `/threads/${threadId}/runs`;
      const { run_id } = Created.parse(
        await call(route, {
          assistant_id: 'agent',
          if_not_exists: 'create',
          stream_mode: ['values', 'messages'],
          ...body,
        }),
      );
      const values = await call(`${route}/${run_id}/join`);
      return { run_id, values, run: Created.parse(await call(`${route}/${run_id}`)) };
    }
    const newThread = async () =>
      Created.pick({ thread_id: true }).parse(await call('/threads', {})).thread_id;
    const linesOf = async (threadId: string, runId: string) => {
      const lines: RecordingLine[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query = cursor === '' ? '' : `?cursor=${cursor}`;
        const page = Page.parse(await call(`/harbor/threads/${threadId}/recordings/${runId}${query}`));
        lines.push(...page.exchanges);
        cursor = page.next;
      }
      return lines;
    };
    const recordingOf = async (threadId: string, runId: string) =>
      (await linesOf(threadId, runId)).filter((line) => line.kind === 'exchange');
    const reportOf = async (threadId: string, runId: string) =>
      ReplayReport.parse(await call(`/harbor/threads/${threadId}/replays/${runId}`));

    /** A run up to its question, and the one that answers it. */
    async function recordBoth() {
      const thread = await newThread();
      const first = await run(thread, { input: INPUT, record: true });
      const second = await run(thread, { command: { resume: 'yes' }, record: true });
      assert.deepEqual([first.run.status, second.run.status], ['success', 'success']);
      return { thread, runs: [first.run_id, second.run_id], ...(await ended(thread)) };
    }

    async function ended(thread: string) {
      const { values } = z.looseObject({ values: z.unknown() }).parse(await call(`/threads/${thread}/state`));
      return { values: JSON.stringify(values) };
    }

    /** The recordings of another thread, on a new one. */
    async function copyRecordings(thread: string, runs: readonly string[]): Promise<string> {
      const copy = await newThread();
      for (const run_id of runs) {
        const exchanges = await linesOf(thread, run_id);
        await call(`/harbor/threads/${copy}/recordings/${run_id}`, { exchanges });
      }
      return copy;
    }

    it('keeps requests and answers, by node and in pieces, without secrets', async () => {
      const [run_id = ''] = recorded.runs;
      const exchanges = await recordingOf(recorded.thread, run_id);
      assert.deepEqual(
        exchanges
          .map(({ place, of, request }) => `${place.node} ${of} ${URL.parse(request.url)?.pathname}`)
          .sort(),
        ASKED[language],
      );
      const streamed = exchanges.find(({ place }) => place.node === 'research|stream');
      assert.ok((streamed?.response?.chunks.length ?? 0) > 1, 'its chunks are kept apart');
      assert.match(streamed?.response?.chunks.at(-1) ?? '', /\[DONE\]/);
      const text = JSON.stringify(exchanges);
      for (const secret of ['planted-', 'tool-secret', 'cookie-secret', run_id, recorded.thread]) {
        // The ID of a run is the name of its recording.
        const found = text.replaceAll(`"run_id":"${run_id}"`, '').includes(secret);
        assert.equal(found, false, `${secret} is in the recording`);
      }
    });

    it('is saved as a file without secrets: in requests, states and spans', async () => {
      const client = clientOf(served);
      const project = {
        git: null,
        secrets: secretValues(Object.fromEntries(SECRETS.map((value, at) => [`PLANTED_${at}`, value]))),
        variables: {},
      };
      const ref = { threadId: recorded.thread, runId: recorded.runs.at(-1) ?? '', graphId: 'agent' };
      const { signal } = new AbortController();
      const kinds = new Set<string>();
      for await (const line of makeRunFile(client, ref, { project, signal })) {
        kinds.add(line.kind);
        const text = JSON.stringify(line);
        const stored = line.kind === 'value' && line.value.encoding === 'base64' ? line.value.data : '';
        for (const form of [text, Buffer.from(stored, 'base64').toString()]) {
          assert.doesNotMatch(form, /planted-|tool-secret|cookie-secret/, line.kind);
          for (const secret of SECRETS) {
            assert.ok(!form.includes(Buffer.from(secret).toString('base64')), line.kind);
          }
        }
      }
      assert.ok(
        ['exchange', 'value', 'run_end'].every((kind) => kinds.has(kind)),
        [...kinds].join(),
      );
    });

    it('is saved again as the same lines, which git compares as text: one differs, with the time of saving', async () => {
      await using folder = await temporaryFolder();
      const client = clientOf(served);
      const project = { git: null, secrets: [], variables: {} };
      const ref = { threadId: recorded.thread, runId: recorded.runs.at(-1) ?? '', graphId: 'agent' };
      const { signal } = new AbortController();
      const [before = '', after = ''] = ['before', 'after'].map((name) => path.join(folder.path, name));
      for (const file of [before, after]) {
        await saveRunFile(file, makeRunFile(client, ref, { project, signal }));
      }
      const compared = promisify(execFile)('git', ['diff', '--no-index', '--numstat', before, after]);
      // With its exit code, git says that they differ.
      const { stdout } = z
        .object({ stdout: z.string() })
        .parse(await compared.catch((error: unknown) => error));
      assert.match(stdout, /^1\t1\t/);
      const ends: unknown[] = [];
      for await (const line of openRunFile(after, new Set(['run_end'] as const))) {
        ends.push(line.kind === 'run_end' && line.waits);
      }
      assert.deepEqual(ends, [true, false], 'the first run stopped to ask');
    });

    it('is saved with all of its spans as soon as it has ended', async () => {
      await using folder = await temporaryFolder();
      const client = clientOf(served);
      const { signal } = new AbortController();
      const threadId = await newThread();
      const { run_id: runId } = await run(threadId, { input: INPUT, record: true });
      const project = { git: null, secrets: [], variables: {} };
      const counts: number[] = [];
      for (const name of ['at once', 'later']) {
        const file = path.join(folder.path, name);
        await saveRunFile(
          file,
          makeRunFile(client, { threadId, runId, graphId: 'agent' }, { project, signal }),
        );
        let spans = 0;
        for await (const _ of openRunFile(file, new Set(['span'] as const))) spans++;
        counts.push(spans);
        await sleep(name === 'at once' ? 3_000 : 0);
      }
      assert.ok((counts[0] ?? 0) > 5);
      assert.equal(counts[0], counts[1]);
    });

    it('is saved with its own error, even after later runs of its thread', async () => {
      const threadId = await newThread();
      const failing = { input: INPUT, record: true, config: { recursion_limit: 1 } };
      const failed = await run(threadId, failing);
      assert.equal(failed.run.status, 'error');
      const next = await run(threadId, { assistant_id: 'failing', input: { connect: '' } });
      assert.equal(next.run.status, 'success');
      const project = { git: null, secrets: [], variables: {} };
      const ref = { threadId, runId: failed.run_id, graphId: 'agent' };
      const { signal } = new AbortController();
      const errors: unknown[] = [];
      for await (const line of makeRunFile(clientOf(served), ref, { project, signal })) {
        if (line.kind === 'run_end') errors.push(line.error?.error);
      }
      assert.deepEqual(errors, ['GraphRecursionError']);
    });

    it('is saved with what is next: at a breakpoint, and with nothing once it has continued', async () => {
      const client = clientOf(served);
      const threadId = await newThread();
      const stopped = await run(threadId, { input: INPUT, interrupt_before: ['approve'], record: true });
      const endsUpTo = async (runId: string) => {
        const project = { git: null, secrets: [], variables: {} };
        const { signal } = new AbortController();
        const ref = { threadId, runId, graphId: 'agent' };
        const ends: SavedEnd[] = [];
        for await (const line of makeRunFile(client, ref, { project, signal }))
          if (line.kind === 'run_end') ends.push(line);
        return ends;
      };
      const atBreakpoint = (await endsUpTo(stopped.run_id)).at(-1);
      assert.deepEqual([atBreakpoint?.waits, atBreakpoint?.next], [false, ['approve']]);
      // This run asks its question before it has stored a state.
      const asked = await run(threadId, { input: null, record: true });
      const atQuestion = (await endsUpTo(asked.run_id)).at(-1);
      assert.deepEqual([atQuestion?.waits, atQuestion?.next], [true, ['approve']]);
      assert.deepEqual(atQuestion?.values, atBreakpoint?.values);
      const done = await run(threadId, { command: { resume: 'yes' }, record: true });
      const ends = await endsUpTo(done.run_id);
      assert.deepEqual(
        ends.map(({ run_id, next }) => [run_id, next]),
        [
          [stopped.run_id, ['approve']],
          [asked.run_id, ['approve']],
          [done.run_id, []],
        ],
      );
    });

    it('is the same when its last run asks before it has stored a state', async () => {
      const { signal } = new AbortController();
      const client = clientOf(served);
      await using folder = await temporaryFolder();
      const file = path.join(folder.path, 'run.agentrun');
      const threadId = await newThread();
      await run(threadId, { input: INPUT, interrupt_before: ['approve'], record: true });
      const { run_id: runId } = await run(threadId, { input: null, record: true });
      const secrets = secretValues(Object.fromEntries(SECRETS.map((value, at) => [`PLANTED_${at}`, value])));
      const project = { git: null, secrets, variables: {} };
      const lines = makeRunFile(client, { threadId, runId, graphId: 'agent' }, { project, signal });
      await saveRunFile(file, lines);
      const open = (kinds?: Kinds) => openRunFile(file, kinds);
      const options = { tools: 'recorded', allowNew: false, secrets, signal } as const;
      const { kind, answered, live } = await replayRunFile(client, open, options);
      assert.deepEqual({ kind, answered, live }, { kind: 'same', answered: count, live: 0 });
    });

    it('is not kept unless requested', async () => {
      const thread = await newThread();
      const { run_id } = await run(thread, { input: INPUT });
      assert.deepEqual(await recordingOf(thread, run_id), []);
    });

    it('stops a replay at the first request that differs, and says which and how', async () => {
      const copy = await copyRecordings(recorded.thread, recorded.runs);
      const input = { messages: [{ role: 'user', content: 'something else' }] };
      const asked = origin.requests;
      const replayed = await run(copy, { input, replay: { run_id: recorded.runs[0] } });
      assert.equal(replayed.run.status, 'error');
      const { error } = z.looseObject({ error: z.unknown() }).parse(await call(`/threads/${copy}`));
      assert.match(JSON.stringify(error), /ReplayDivergence.*Node 'plan'.*something else/);
      const { divergence, answered, unused } = await reportOf(copy, replayed.run_id);
      assert.equal(divergence?.place.node, 'plan');
      assert.equal(divergence.nearest?.place.node, 'plan');
      assert.deepEqual(divergence.differences, [
        {
          at: language === 'node' ? 'body.messages[1].content' : 'body.messages[0].content',
          recorded: `hello ${SECRETS.map(() => '***').join(' and ')}`,
          now: 'something else',
        },
      ]);
      assert.deepEqual([answered, unused.length], [0, count]);
      assert.equal(origin.requests, asked, 'nothing was sent');
    });

    it('fails again as it failed, with errors of the same classes and texts', async () => {
      const thread = await newThread();
      const failed = await run(thread, { assistant_id: 'failing', input: { connect: '' }, record: true });
      assert.equal(failed.run.status, 'success');
      const copy = await copyRecordings(thread, [failed.run_id]);
      const replay = { run_id: failed.run_id };
      const asked = origin.requests;
      const replayed = await run(copy, { assistant_id: 'failing', input: { connect: '' }, replay });
      assert.deepEqual(replayed.values, failed.values);
      assert.doesNotMatch(JSON.stringify(failed.values), /answered/);
      assert.equal((await reportOf(copy, replayed.run_id)).divergence, null);
      for (const connect of SWITCHES[language]) {
        const again = await copyRecordings(thread, [failed.run_id]);
        const refused = await run(again, { assistant_id: 'failing', input: { connect }, replay });
        assert.equal(refused.run.status, 'error', connect);
        const { error } = z.looseObject({ error: z.unknown() }).parse(await call(`/threads/${again}`));
        assert.match(JSON.stringify(error), /Node 'switch' sent a request that was not recorded: /);
      }
      assert.equal(origin.requests, asked, 'nothing was sent');
    });

    it('keeps long answers in parts without secrets, and reads them back in this form', async () => {
      const thread = await newThread();
      const input = { bytes: LONG_BYTES };
      const long = await run(thread, { assistant_id: 'long', input, record: true });
      assert.match(JSON.stringify(long.values), new RegExp(`"${LONG_BYTES} `));
      const lines = await linesOf(thread, long.run_id);
      for (const line of lines.values()) {
        const length = line.kind === 'exchange' ? (line.response?.chunks.length ?? 0) : 0;
        assert.equal(length, 0, 'an exchange has its parts, and no pieces of its own');
      }
      const parts = lines.filter((line) => line.kind === 'exchange_part');
      for (const { chunks } of parts) {
        const text = chunks.join('');
        assert.ok(text.length < 2 * 1_048_576, `${text.length} characters are held together`);
        assert.doesNotMatch(text, /tool-secret|ool-s|l-long"/);
      }
      const total = parts.reduce((sum, { chunks }) => sum + chunks.join('').length, 0);
      assert.equal(total, LONG_BYTES * lines.filter(({ kind }) => kind === 'exchange').length);
      const copy = await copyRecordings(thread, [long.run_id]);
      const asked = origin.requests;
      const replay = { run_id: long.run_id };
      const replayed = await run(copy, { assistant_id: 'long', input, replay });
      assert.match(JSON.stringify(replayed.values), new RegExp(`"${LONG_BYTES} `));
      const again = await copyRecordings(thread, [long.run_id]);
      const once = await run(again, { assistant_id: 'long', input, replay });
      assert.deepEqual(once.values, replayed.values);
      const { divergence, unused } = await reportOf(copy, replayed.run_id);
      assert.deepEqual(
        { divergence, unused, sent: origin.requests - asked },
        { divergence: null, unused: [], sent: 0 },
      );
    });

    it('reads no faster than its agent does', async () => {
      const bytes = 64 * 1_048_576;
      const thread = await newThread();
      const stalled = await run(thread, { assistant_id: 'stalled', input: { bytes }, record: true });
      const { sent } = z.object({ sent: z.record(z.string(), z.number()) }).parse(stalled.values);
      assert.equal(Object.keys(sent).length, language === 'node' ? 3 : 4);
      for (const [client, count] of Object.entries(sent)) {
        // The bytes that the system holds for a connection.
        assert.ok(count < bytes / 4, `${client} was sent ${count} bytes of which it had read one piece`);
      }
    });

    it('sends only what is new when that is allowed, and only tools when they are live', async () => {
      const [run_id] = recorded.runs;
      const changed = await copyRecordings(recorded.thread, recorded.runs);
      const input = { messages: [{ role: 'user', content: 'something else' }] };
      const allowed = await run(changed, { input, replay: { run_id, allow_new: true } });
      assert.equal(allowed.run.status, 'success');
      const first = await reportOf(changed, allowed.run_id);
      assert.deepEqual([first.answered, first.live, first.unused.length], [count - 1, 1, 1]);
      const live = await copyRecordings(recorded.thread, recorded.runs);
      const replayed = await run(live, { input: INPUT, replay: { run_id, tools: 'live' } });
      const second = await reportOf(live, replayed.run_id);
      assert.deepEqual([second.answered, second.live, second.divergence], [count - tools, tools, null]);
    });

    it('also compares the end of a replay that sent some of its requests', async () => {
      const { signal } = new AbortController();
      await using folder = await temporaryFolder();
      const file = path.join(folder.path, 'run.agentrun');
      const secrets = secretValues(Object.fromEntries(SECRETS.map((value, at) => [`PLANTED_${at}`, value])));
      const ref = { threadId: recorded.thread, runId: recorded.runs.at(-1) ?? '', graphId: 'agent' };
      const project = { git: null, secrets, variables: {} };
      await saveRunFile(file, makeRunFile(clientOf(served), ref, { project, signal }));
      const open = (kinds?: Kinds) => openRunFile(file, kinds);
      const replay = (tools: 'recorded' | 'live') =>
        replayRunFile(clientOf(served), open, { tools, allowNew: true, secrets, signal });
      assert.equal((await replay('recorded')).kind, 'same');
      const outcome = await replay('live');
      // Each answer of the origin is different.
      assert.deepEqual([outcome.kind, outcome.live, outcome.isNew], ['values', tools, false]);
    });

    it('is the same when it starts from a state in the middle, in which its messages have their IDs', async () => {
      const { signal } = new AbortController();
      const client = clientOf(served);
      await using folder = await temporaryFolder();
      const file = path.join(folder.path, 'run.agentrun');
      const secrets = secretValues(Object.fromEntries(SECRETS.map((value, at) => [`PLANTED_${at}`, value])));
      const ref = { threadId: recorded.thread, runId: recorded.runs.at(-1) ?? '', graphId: 'agent' };
      const project = { git: null, secrets, variables: {} };
      await saveRunFile(file, makeRunFile(client, ref, { project, signal }));
      const open = (kinds?: Kinds) => openRunFile(file, kinds);
      const outline = await readOutline(open);
      const history = z.array(z.looseObject({ checkpoint: z.looseObject({ checkpoint_id: z.string() }) }));
      const states = history.parse(await call(`/threads/${recorded.thread}/history?limit=100`)).toReversed();
      const answered: number[] = [];
      for (const { checkpoint } of states) {
        const from = await findStart(open, outline, checkpoint.checkpoint_id);
        const options = { tools: 'recorded', allowNew: false, secrets, signal, from } as const;
        const outcome = await replayRunFile(client, open, options);
        assert.deepEqual([outcome.kind, outcome.live], ['same', 0], JSON.stringify(outcome));
        answered.push(outcome.answered);
      }
      // Before the input, plan, the branches, approve and finish, and at the end.
      assert.deepEqual(answered, [count + 1, count + 1, count, 1, 1, 0]);
    });

    it('is the same each of ten times where there is no network: final values and order of nodes', async function () {
      const start = await commandWithoutNetwork();
      if (start === undefined) skip(this, 'this machine makes no network namespaces');
      this.timeout(180_000);
      await using folder = await temporaryFolder();
      const file = path.join(folder.path, 'run.agentrun');
      const secrets = secretValues(Object.fromEntries(SECRETS.map((value, at) => [`PLANTED_${at}`, value])));
      const project = { git: null, secrets, variables: {} };
      const { signal } = new AbortController();
      const ref = { threadId: recorded.thread, runId: recorded.runs.at(-1) ?? '', graphId: 'agent' };
      await saveRunFile(file, makeRunFile(clientOf(served), ref, { project, signal }));
      const { project: servedProject } = served;
      const script = path.join(projectRoot, 'test', 'support', 'replay-offline.ts');
      const args = [script, servedProject.folder, JSON.stringify(servedProject.graphs), file, origin.url];
      const { stdout } = await promisify(execFile)(start.file, [...start.args, process.execPath, ...args]);
      assert.deepEqual(
        JSON.parse(stdout),
        Array.from({ length: 10 }, () => 'same, 0 sent'),
      );
    });

    it('is replayed byte for byte when its models and tools are gone, each of ten times', async () => {
      await origin.close();
      for (let turn = 0; turn < 10; turn++) {
        const copy = await copyRecordings(recorded.thread, recorded.runs);
        const [first, second] = recorded.runs;
        const asking = await run(copy, { input: INPUT, replay: { run_id: first } });
        const answering = await run(copy, { command: { resume: 'yes' }, replay: { run_id: second } });
        assert.deepEqual([asking.run.status, answering.run.status], ['success', 'success']);
        assert.equal((await ended(copy)).values, recorded.values);
        for (const { run_id } of [asking, answering]) {
          const { divergence, unused, live } = await reportOf(copy, run_id);
          assert.deepEqual({ divergence, unused, live }, { divergence: null, unused: [], live: 0 });
        }
      }
    });
  });
}
