import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import { z } from 'zod';
import { ValidationIssue } from '../../../src/contract/errors.ts';
import type { PurgeJob } from '../../../src/contract/purging.ts';
import { filesWith } from '../../support/files-with.ts';
import { ANY_KEY } from '../../support/keys.ts';
import { type Platform, request, startPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { newRun, postParts, runNames, sendParts, sessionId, type TestRun } from '../../support/traces.ts';
import { requireTracesInFiles } from '../../support/traces-database.ts';
import { eventually } from '../../support/wait.ts';

interface Entry {
  readonly event: string;
  readonly job_id: string;
  readonly by: string;
  readonly counts: { readonly remaining?: object };
}

async function purge(platform: Platform, body: object): Promise<PurgeJob> {
  const response = await platform.fetch('/api/v1/runs/delete', { method: 'POST', body });
  assert.equal(response.status, 202, await response.clone().text());
  const { job_id } = (await response.json()) as { job_id: string };
  return finished(platform, job_id);
}

async function finished(platform: Platform, jobId: string): Promise<PurgeJob> {
  return eventually('the purge ends', async () => {
    const job = (await (await platform.fetch(`/purge/jobs/${jobId}`)).json()) as PurgeJob;
    assert.ok(job.status === 'verified' || job.status === 'failed', JSON.stringify(job));
    return job;
  });
}

/** Sets a copy aside, as migrations do. */
function copyDatabase(folder: string, copy: string): void {
  mkdirSync(path.dirname(path.join(folder, copy)), { recursive: true });
  const database = new DatabaseSync(path.join(folder, 'traces.db'));
  database.prepare('VACUUM INTO ?').run(path.join(folder, copy));
  database.close();
}

describe('purging', () => {
  let shared: Platform;
  /** A separate workspace for every test, on one server. */
  let platform: Platform;
  before(async () => {
    shared = await startPlatform();
  });
  after(() => shared.close());
  beforeEach(async () => {
    const workspace = await shared.newWorkspace();
    const fetch: Platform['fetch'] = (route, init) => request(shared.url, workspace, route, init);
    platform = { ...shared, workspace, fetch };
  });

  async function trace(
    fields: Record<string, unknown>,
    payloads: Record<string, unknown> = {},
    on: Platform = platform,
  ): Promise<TestRun> {
    const root = newRun(fields);
    const child = newRun({ parent: root, name: `child of ${root.name}` });
    assert.equal((await sendParts(on, [...postParts(root, payloads), ...postParts(child)])).status, 202);
    return root;
  }

  it('removes only the given traces', async () => {
    const [gone, stays] = [await trace({ name: 'gone' }), await trace({ name: 'stays' })];
    const session_id = await sessionId(platform, 'test');
    const job = await purge(platform, { session_id, trace_ids: [gone.trace_id] });
    assert.deepEqual(
      [job.status, job.matched, job.deleted, job.remaining, job.deleted_runs],
      ['verified', 1, 1, 0, 2],
    );
    assert.equal((await platform.fetch(`/runs/${gone.id}`)).status, 404);
    assert.deepEqual((await runNames(platform, { session: [session_id] })).sort(), [
      'child of stays',
      'stays',
    ]);
    assert.equal((await platform.fetch(`/runs/${stays.id}`)).status, 200);
  });

  it('removes traces with any of the metadata pairs on any span', async () => {
    const metadata = (entries: object) => ({ extra: { metadata: entries } });
    await trace({ name: 'a' }, metadata({ user: 'u1' }));
    await trace({ name: 'b' }, metadata({ plan: 'free' }));
    await trace({ name: 'c' }, metadata({ user: 'u2', plan: 'paid' }));
    const root = newRun({ name: 'd' });
    const child = newRun({ parent: root });
    await sendParts(platform, [...postParts(root), ...postParts(child, metadata({ user: 'u1' }))]);
    const job = await purge(platform, { metadata: { user: 'u1', plan: 'free' } });
    assert.deepEqual([job.status, job.matched], ['verified', 3]);
    assert.deepEqual(
      await runNames(platform, { session: [await sessionId(platform, 'test')], is_root: true }),
      ['c'],
    );
  });

  it('keeps traces whose metadata an update replaced', async () => {
    const metadata = (user: string) => ({ extra: { metadata: { user } } });
    const root = await trace({ name: 'handed over' }, metadata('u1'));
    const patch = { name: `patch.${root.id}`, content: { ...root, ...metadata('u2') } };
    assert.equal((await sendParts(platform, [patch])).status, 202);
    assert.equal((await purge(platform, { metadata: { user: 'u1' } })).matched, 0);
    assert.equal((await purge(platform, { metadata: { user: 'u2' } })).matched, 1);
  });

  it('distinguishes text metadata from equal-looking numbers and booleans', async () => {
    const values = [true, 'true', 1, '1'];
    for (const is of values) await trace({ name: JSON.stringify(is) }, { extra: { metadata: { is } } });
    const session = [await sessionId(platform, 'test')];
    const left = async () => (await runNames(platform, { session, is_root: true })).sort();
    assert.equal((await purge(platform, { metadata: { is: true } })).matched, 1);
    assert.deepEqual(await left(), ['"1"', '"true"', '1']);
    assert.equal((await purge(platform, { metadata: { is: '1' } })).matched, 1);
    assert.deepEqual(await left(), ['"true"', '1']);
    assert.equal((await purge(platform, { metadata: { is: 'true', unused: 1 } })).matched, 1);
    assert.deepEqual(await left(), ['1']);
  });

  it('matches metadata by its whole value, at any length', async () => {
    const long = 'a-very-long-note '.repeat(200);
    const metadata = (note: string) => ({ extra: { metadata: { note } } });
    await trace({ name: 'long' }, metadata(long));
    await trace({ name: 'longer' }, metadata(`${long}!`));
    await trace({ name: 'none' }, metadata(''));
    const session = [await sessionId(platform, 'test')];
    const filter = `and(eq(metadata_key, "note"), eq(metadata_value, ${JSON.stringify(long)}))`;
    assert.deepEqual(await runNames(platform, { session, filter }), ['long']);
    assert.equal((await purge(platform, { metadata: { note: long } })).matched, 1);
    assert.deepEqual((await runNames(platform, { session, is_root: true })).sort(), ['longer', 'none']);
  });

  it('also deletes matching examples with delete_examples, and verifies it', async () => {
    const post = async (route: string, body: object) => {
      const response = await platform.fetch(route, { method: 'POST', body });
      return (await response.json()) as { id: string; would_delete: object };
    };
    const { id: dataset_id } = await post('/datasets', { name: 'd' });
    const example = await post('/examples', { dataset_id, inputs: { q: 1 }, metadata: { user: 'u1' } });
    const body = { metadata: { user: 'u1', other: 1 }, delete_examples: true };
    const { would_delete } = await post('/runs/delete', { ...body, dry_run: true });
    assert.deepEqual(would_delete, {
      traces: 0,
      runs: 0,
      feedback: 0,
      attachments: 0,
      bytes: 0,
      examples: 1,
    });
    assert.equal((await purge(platform, body)).status, 'verified');
    assert.equal((await platform.fetch(`/examples/${example.id}`)).status, 404);
    const [entry] = (await (await platform.fetch('/purge/audit')).json()) as Entry[];
    assert.equal((entry?.counts.remaining as { examples?: number } | undefined)?.examples, 0);
  });

  it('records the key in the audit log, also for exchanged tokens', async () => {
    const root = await trace({ name: 'mine' });
    const { workspace, identity } = platform;
    const caller = await identity.authenticate({ 'x-api-key': workspace.key }, ANY_KEY);
    const { token } = await identity.bearerTokens.create(caller, 60_000);
    const response = await fetch(`${platform.url}/api/v1/runs/delete`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: await sessionId(platform, 'test'), trace_ids: [root.trace_id] }),
    });
    assert.equal(response.status, 202);
    const { job_id } = (await response.json()) as { job_id: string };
    const audit = (await (await platform.fetch('/purge/audit')).json()) as { job_id: string; by: unknown }[];
    const mine = audit.filter((entry) => entry.job_id === job_id);
    const keyId = 'keyId' in caller.by ? caller.by.keyId : undefined;
    assert.deepEqual(new Set(mine.map(({ by }) => by)), new Set([`api-key:${keyId}`]));
  });

  it('previews what would be deleted, and deletes nothing', async () => {
    const extra = { metadata: { thread_id: 'its thread' } };
    const root = await trace({ name: 'kept', extra }, { inputs: { question: 'Is this in the way?' } });
    await trace({ name: 'other', extra: { metadata: { thread_id: 'another thread' } } });
    const body = { session_id: await sessionId(platform, 'test'), trace_ids: [root.trace_id], dry_run: true };
    const response = await platform.fetch('/api/v1/runs/delete', { method: 'POST', body });
    const { would_delete, samples, thread_ids } = (await response.json()) as {
      would_delete: { bytes: number };
      thread_ids: readonly string[];
      samples: readonly { trace_id: string; name: string }[];
    };
    const { bytes, ...counts } = would_delete;
    assert.deepEqual(counts, { traces: 1, runs: 2, feedback: 0, attachments: 0 });
    assert.ok(bytes > 0, 'its payloads take room');
    assert.deepEqual(
      samples.map(({ trace_id, name }) => ({ trace_id, name })),
      [{ trace_id: root.trace_id, name: 'kept' }],
    );
    assert.deepEqual(thread_ids, ['its thread']);
    assert.equal((await platform.fetch(`/runs/${root.id}`)).status, 200);
  });

  it('deletes nothing in a dry run, at the address for traces too', async () => {
    const root = await trace({ name: 'kept' });
    const body = { session_id: await sessionId(platform, 'test'), trace_ids: [root.trace_id], dry_run: true };
    const response = await platform.fetch('/api/v1/runs/delete/traces', { method: 'POST', body });
    assert.equal(response.status, 202);
    assert.match(await response.text(), /Nothing was deleted.*would_delete/s);
    assert.equal((await platform.fetch(`/runs/${root.id}`)).status, 200);
  });

  it('refuses more than 1,000 traces, ids without their project, and nothing at all', async () => {
    const refuse = async (body: object, message: RegExp) => {
      const response = await platform.fetch('/api/v1/runs/delete', { method: 'POST', body });
      assert.equal(response.status, 422);
      assert.match(await response.text(), message);
    };
    const id = crypto.randomUUID();
    await refuse({ session_id: id, trace_ids: Array.from({ length: 1001 }, () => id) }, /At most 1000/);
    await refuse({ trace_ids: [id] }, /session_id/);
    await refuse({}, /Specify what to delete/);
    await refuse({ trace_ids: [], metadata: {} }, /Specify what to delete/);
  });

  it('refuses unknown fields, without which it might delete more', async () => {
    const root = await trace({ name: 'kept' });
    const named = { session_id: await sessionId(platform, 'test'), trace_ids: [root.trace_id] };
    for (const [route, body] of [
      ['/api/v1/runs/delete', { before: '2030-01-01', project_name: 'test' }],
      ['/api/v1/runs/delete', { ...named, dryRun: true }],
      ['/api/v1/runs/delete/traces', { ...named, dryRun: true }],
    ] as const) {
      const response = await platform.fetch(route, { method: 'POST', body });
      assert.equal(response.status, 422);
      assert.match(await response.text(), /project_name|dryRun/);
    }
    assert.equal((await platform.fetch(`/runs/${root.id}`)).status, 200);
  });

  it('refuses an empty list or object beside a time, instead of deleting all traces before it', async () => {
    for (const [field, body] of Object.entries({
      trace_ids: { trace_ids: [], before: '2030-01-01' },
      metadata: { metadata: {}, before: '2030-01-01' },
    })) {
      const response = await platform.fetch('/api/v1/runs/delete', { method: 'POST', body });
      assert.equal(response.status, 422);
      assert.match(await response.text(), new RegExp(`"${field}"\\].*is empty`));
    }
  });

  it('removes the content from the disk: database, log, full-text index, blobs and copies', async function () {
    requireTracesInFiles(this);
    const secret = 'zebrafinch';
    const long = { text: `${secret} `.repeat(200_000) };
    const root = newRun({ name: `name-${secret}`, tags: [`tag-${secret}`] });
    const parts = [
      ...postParts(root, { inputs: { text: secret }, extra: { metadata: { note: `meta-${secret}` } } }),
      { name: `post.${root.id}.outputs`, content: long },
      {
        name: `attachment.${root.id}.file`,
        content: Buffer.from(`attached-${secret}`),
        contentType: 'text/plain',
      },
    ];
    assert.equal((await sendParts(platform, parts)).status, 202);
    await sendParts(platform, postParts(newRun({ name: 'bystander' }), { inputs: { text: 'another word' } }));
    await platform.fetch('/feedback', {
      method: 'POST',
      body: { key: 'note', run_id: root.id, comment: `comment-${secret}` },
    });
    const session_id = await sessionId(platform, 'test');
    assert.deepEqual(await runNames(platform, { session: [session_id], filter: `search("${secret}")` }), [
      root.name,
    ]);

    const word = Buffer.from(secret);
    // Small payloads are stored compressed, in the block of their request.
    const stored = [
      JSON.stringify({ text: secret }),
      JSON.stringify({ metadata: { note: `meta-${secret}` } }),
    ];
    const block = zstdCompressSync(Buffer.from(stored.join('')));
    assert.notDeepEqual(filesWith(platform.dataDir, block), [], 'the compressed block is on disk');
    const copy = path.join('backups', 'traces.before-a-migration.db');
    copyDatabase(platform.dataDir, copy);
    const before = filesWith(platform.dataDir, word);
    assert.ok(before.includes(copy));
    assert.ok(
      before.some((file) => /^traces\.db(-wal)?$/.test(file)) && before.some((file) => file.includes('ttl_')),
      before.join(),
    );

    const job = await purge(platform, { session_id, trace_ids: [root.trace_id] });
    assert.equal(job.status, 'verified', job.error ?? '');
    assert.deepEqual(filesWith(platform.dataDir, word), []);
    assert.deepEqual(filesWith(platform.dataDir, block), []);
    assert.deepEqual(await runNames(platform, { session: [session_id], filter: 'search("another")' }), [
      'bystander',
    ]);
  });

  it('fails, and says why, if it cannot read the folder of copies', async function () {
    requireTracesInFiles(this);
    const other = await startPlatform();
    const root = newRun({ name: 'copied' });
    assert.equal((await sendParts(other, postParts(root))).status, 202);
    const session_id = await sessionId(other, 'test');
    const folder = path.join(other.dataDir, 'backups');
    rmSync(folder, { recursive: true, force: true });
    symlinkSync(folder, folder, 'junction');
    const job = await purge(other, { session_id, trace_ids: [root.trace_id] });
    assert.deepEqual([job.status, /ELOOP|backups/.test(job.error ?? '')], ['failed', true]);
    await other.close();
  });

  it('also removes replaced content from the disk: attachments and outputs sent again', async function () {
    requireTracesInFiles(this);
    const secret = `replaced${randomBytes(8).toString('hex')}`;
    const large = (letter: string) => `${secret} ${letter.repeat(1_200_000)}`;
    const root = newRun({ name: 'with replaced files' });
    const attachment = { name: `attachment.${root.id}.file`, contentType: 'text/plain', content: large('a') };
    const parts = [...postParts(root, { outputs: { text: large('b') } }), attachment];
    for (let time = 0; time < 2; time++) assert.equal((await sendParts(platform, parts)).status, 202);
    const { id, trace_id, dotted_order } = root;
    const patch = [
      { name: `patch.${id}`, content: { id, trace_id, dotted_order } },
      { name: `patch.${id}.outputs`, content: { text: large('c') } },
    ];
    assert.equal((await sendParts(platform, patch)).status, 202);
    const word = Buffer.from(secret);
    const blobs = () => filesWith(platform.dataDir, word).filter((file) => file.includes('ttl_'));
    assert.equal(blobs().length, 4);
    const session_id = await sessionId(platform, 'test');
    assert.equal((await purge(platform, { session_id, trace_ids: [trace_id] })).status, 'verified');
    assert.deepEqual(blobs(), []);
  });

  it('also removes replaced tags and metadata from the disk', async function () {
    requireTracesInFiles(this);
    const secret = `replaced${randomBytes(8).toString('hex')}`;
    const root = newRun({ name: 'with replaced labels', tags: [`tag-${secret}`] });
    await sendParts(platform, postParts(root, { extra: { metadata: { note: `meta-${secret}` } } }));
    const { id, trace_id, dotted_order } = root;
    const patch = { id, trace_id, dotted_order, tags: [], extra: {} };
    assert.equal((await sendParts(platform, [{ name: `patch.${id}`, content: patch }])).status, 202);
    const session_id = await sessionId(platform, 'test');
    assert.equal((await purge(platform, { session_id, trace_ids: [trace_id] })).status, 'verified');
    assert.deepEqual(filesWith(platform.dataDir, Buffer.from(secret)), []);
  });

  it('also removes the words of a large purge from the disk', async function () {
    requireTracesInFiles(this);
    const doomed = Array.from({ length: 1100 }, (_, at) =>
      postParts(newRun({ session_name: 'large' }), { inputs: { text: `budgerigar number ${at}` } }),
    );
    assert.equal((await sendParts(platform, doomed.flat())).status, 202);
    const kept = newRun({ name: 'kept' });
    await sendParts(platform, postParts(kept, { inputs: { text: 'canary number 7' } }));
    const session_id = await sessionId(platform, 'large');
    const found = await runNames(platform, { session: [session_id], filter: 'search("budgerigar")' });
    assert.equal(found.length, 100);
    assert.notDeepEqual(filesWith(platform.dataDir, Buffer.from('budgerigar')), []);
    const job = await purge(platform, { session_id, before: new Date(Date.now() + 1000).toISOString() });
    assert.deepEqual([job.status, job.matched, job.deleted_runs], ['verified', 1100, 1100]);
    assert.deepEqual(filesWith(platform.dataDir, Buffer.from('budgerigar')), []);
    const session = [await sessionId(platform, 'test')];
    assert.deepEqual(await runNames(platform, { session, filter: 'search("number")' }), ['kept']);
  });

  it('also removes updates and spans that wait for missing parts of the trace', async function () {
    requireTracesInFiles(this);
    const root = await trace({ name: 'gone' });
    const word = 'bullfinch';
    const late = newRun({ parent: root });
    const { trace_id, dotted_order, parent_run_id } = late;
    const patch = { id: late.id, trace_id, dotted_order, parent_run_id, name: word };
    assert.equal((await sendParts(platform, [{ name: `patch.${late.id}`, content: patch }])).status, 202);
    const traceId = randomBytes(16).toString('hex');
    const span = (name: string, parentSpanId?: string) => ({
      ...{ traceId, spanId: randomBytes(8).toString('hex'), parentSpanId, name },
      startTimeUnixNano: String(Date.now() * 1_000_000),
    });
    const spans = [span('top'), span(word, randomBytes(8).toString('hex'))];
    const body = { resourceSpans: [{ scopeSpans: [{ spans }] }] };
    const headers = { 'langsmith-project': 'test' };
    assert.equal((await platform.fetch('/otel/v1/traces', { method: 'POST', body, headers })).status, 200);
    const waiting = () => {
      const database = new DatabaseSync(path.join(platform.dataDir, 'traces.db'), { readOnly: true });
      const { n } = database
        .prepare('SELECT (SELECT count(*) FROM early_patches) + (SELECT count(*) FROM early_spans) AS n')
        .get() ?? { n: 0 };
      database.close();
      return Number(n);
    };
    assert.equal(waiting(), 3);
    const otel = traceId.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    const session_id = await sessionId(platform, 'test');
    const job = await purge(platform, { session_id, trace_ids: [root.trace_id, otel] });
    assert.deepEqual([job.status, job.matched], ['verified', 2]);
    assert.equal(waiting(), 0);
  });

  it('also removes feedback and links of runs that never arrived', async () => {
    const root = await trace({ name: 'gone' });
    const other = await trace({ name: 'stays', session_name: 'other' });
    const [never, late] = [crypto.randomUUID(), crypto.randomUUID()];
    const post = async (route: string, body: object) => {
      const response = await platform.fetch(route, { method: 'POST', body });
      assert.equal(response.status, 200, await response.clone().text());
      return (await response.json()) as { id: string; url: string };
    };
    const given = [
      await post('/feedback', { key: 'k', run_id: late, trace_id: root.trace_id, comment: 'on a late run' }),
      await post('/feedback', { key: 'k', trace_id: never, comment: 'on a trace that never came' }),
    ];
    const kept = await post('/feedback', { key: 'k', run_id: other.id, comment: 'in another project' });
    const link = await post('/feedback/tokens', { run_id: never, feedback_key: 'k' });
    const session_id = await sessionId(platform, 'test');
    const trace_ids = [root.trace_id, never, other.trace_id];
    const body = { session_id, trace_ids, dry_run: true };
    const dry = await platform.fetch('/api/v1/runs/delete', { method: 'POST', body });
    const { would_delete } = (await dry.json()) as { would_delete: { feedback: number } };
    assert.equal(would_delete.feedback, 1);
    assert.equal((await purge(platform, { session_id, trace_ids })).matched, 1);
    for (const { id } of given) assert.equal((await platform.fetch(`/feedback/${id}`)).status, 404);
    assert.equal((await fetch(`${link.url}?score=1`)).status, 404);
    assert.equal((await platform.fetch(`/feedback/${kept.id}`)).status, 200);
  });

  it('removes traces by start time, however late they arrived', async () => {
    const day = 86_400_000;
    await trace({ name: 'old', at: Date.now() - 40 * day });
    await trace({ name: 'new' });
    const session_id = await sessionId(platform, 'test');
    const before = new Date(Date.now() - 30 * day).toISOString();
    const job = await purge(platform, { session_id, before });
    assert.deepEqual([job.status, job.matched], ['verified', 1]);
    assert.deepEqual(await runNames(platform, { session: [session_id], is_root: true }), ['new']);
  });

  it('writes who, when and what to an append-only log, but never content', async () => {
    const root = await trace({ name: 'secret-name' }, { inputs: { text: 'secret-input' } });
    const job = await purge(platform, {
      session_id: await sessionId(platform, 'test'),
      trace_ids: [root.trace_id],
    });
    const audit = await (await platform.fetch('/purge/audit')).text();
    const entries = JSON.parse(audit) as Entry[];
    assert.deepEqual(
      entries.map((entry) => [entry.event, entry.job_id]),
      [
        ['verified', job.id],
        ['requested', job.id],
      ],
    );
    assert.match(entries[0]?.by ?? '', /^api-key:/);
    const { remaining, ...counts } = entries[0]?.counts ?? {};
    assert.deepEqual(counts, { matched: 1, deleted: 1, deleted_runs: 2 });
    assert.deepEqual(remaining, {
      ...{ traces: 0, runs: 0, payloads: 0, attachments: 0 },
      ...{ feedback: 0, words: 0, metadata: 0, files: 0, waiting: 0, shares: 0 },
    });
    assert.doesNotMatch(audit, /secret/);
  });

  it('refuses unknown fields of retention settings, which would look like a change', async () => {
    const put = (path: string, body: object) => platform.fetch(path, { method: 'PUT', body });
    for (const path of ['/ttl-settings', '/orgs/ttl-settings', '/workspaces/current/ttl-settings']) {
      const refused = await put(path, { longlived_ttl_days: 90, ttl_day: 5 });
      assert.equal(refused.status, 422, path);
      assert.match(await refused.text(), /ttl_day/);
    }
    assert.equal((await put('/ttl-settings', { resource_type: 'run', ttl_days: 400 })).status, 200);
  });

  it('refuses a base retention above the extended one, and names both', async () => {
    const put = (body: object) => platform.fetch('/ttl-settings', { method: 'PUT', body });
    const before = await (await platform.fetch('/ttl-settings')).json();
    for (const [body, field, days] of [
      [{ shortlived_ttl_days: 401 }, 'shortlived_ttl_days', [401, 400]],
      [{ longlived_ttl_days: 13 }, 'longlived_ttl_days', [14, 13]],
      [{ resource_type: 'run', ttl_days: 13 }, 'ttl_days', [14, 13]],
      [{ shortlived_ttl_days: 31, longlived_ttl_days: 30 }, 'shortlived_ttl_days', [31, 30]],
    ] as const) {
      const refused = await put(body);
      assert.equal(refused.status, 422, JSON.stringify(body));
      const { detail } = z.object({ detail: z.array(ValidationIssue) }).parse(await refused.json());
      assert.deepEqual(
        detail.map(({ loc }) => loc),
        [['body', field]],
      );
      const message = `shortlived_ttl_days (${days[0]}) must not be greater than longlived_ttl_days (${days[1]}). Set both.`;
      assert.equal(detail[0]?.msg, message);
    }
    assert.deepEqual(await (await platform.fetch('/ttl-settings')).json(), before);
  });

  it('waits for the purge window if set', async () => {
    const bad = await platform.fetch('/purge/settings', {
      method: 'PUT',
      body: { schedule: 'whenever', timezone: 'UTC' },
    });
    assert.equal(bad.status, 422);
    await platform.fetch('/purge/settings', {
      method: 'PUT',
      body: { schedule: '0 3 * * 6', timezone: 'Europe/Berlin' },
    });
    const root = await trace({ name: 'waiting' });
    const response = await platform.fetch('/api/v1/runs/delete', {
      method: 'POST',
      body: { session_id: await sessionId(platform, 'test'), trace_ids: [root.trace_id] },
    });
    const { job_id } = (await response.json()) as { job_id: string };
    const job = (await (await platform.fetch(`/purge/jobs/${job_id}`)).json()) as PurgeJob;
    assert.equal(job.status, 'pending');
    const opens = new Date(job.not_before);
    assert.ok(opens.getTime() > Date.now());
    assert.equal(
      opens.toLocaleString('en-GB', { timeZone: 'Europe/Berlin', weekday: 'short', hour: '2-digit' }),
      'Sat, 03',
    );
    await platform.fetch('/purge/settings', { method: 'PUT', body: { schedule: null, timezone: 'UTC' } });
    await eventually('it waits for nothing any more', async () => {
      const now = (await (await platform.fetch(`/purge/jobs/${job_id}`)).json()) as PurgeJob;
      return now.status === 'verified';
    });
  });

  it('waits no longer for a purge window that has no further time', async () => {
    const schedule = new Date(Date.now() + 2000).toISOString().slice(0, 19);
    const set = await platform.fetch('/purge/settings', {
      method: 'PUT',
      body: { schedule, timezone: 'UTC' },
    });
    assert.equal(set.status, 200, await set.clone().text());
    await delay(Date.parse(`${schedule}Z`) + 1 - Date.now());
    const root = await trace({ name: 'too late' });
    const response = await platform.fetch('/api/v1/runs/delete', {
      method: 'POST',
      body: { session_id: await sessionId(platform, 'test'), trace_ids: [root.trace_id] },
    });
    const text = await response.text();
    assert.equal(response.ok, true, text);
    const { job_id } = JSON.parse(text) as { job_id: string };
    await eventually('it is carried out', async () => {
      const now = (await (await platform.fetch(`/purge/jobs/${job_id}`)).json()) as PurgeJob;
      return now.status === 'verified';
    });
    await platform.fetch('/purge/settings', { method: 'PUT', body: { schedule: null, timezone: 'UTC' } });
  });

  it('removes a project with everything in it', async () => {
    const root = await trace({ name: 'old', session_name: 'doomed' });
    const id = await sessionId(platform, 'doomed');
    const response = await platform.fetch(`/sessions/${id}`, { method: 'DELETE' });
    assert.equal(response.status, 202);
    assert.equal((await platform.fetch(`/sessions/${id}`)).status, 404);
    const { job_ids } = (await response.json()) as { job_ids: string[] };
    assert.equal((await finished(platform, job_ids[0] ?? '')).status, 'verified');
    assert.equal((await platform.fetch(`/runs/${root.id}`)).status, 404);
  });

  it('continues after a restart', async () => {
    await using folder = await temporaryFolder();
    const options = { dataDir: folder.path };
    const first = await startPlatform(options);
    const runs = await Promise.all(
      Array.from({ length: 30 }, (_, at) => trace({ name: `t${at}` }, {}, first)),
    );
    const session_id = await sessionId(first, 'test');
    const response = await first.fetch('/api/v1/runs/delete', {
      method: 'POST',
      body: { session_id, trace_ids: runs.map((run) => run.trace_id) },
    });
    const { job_id } = (await response.json()) as { job_id: string };
    await first.close();
    const again = await startPlatform(options);
    try {
      assert.equal((await finished(again, job_id)).status, 'verified');
      assert.deepEqual(await runNames(again, { session: [session_id] }), []);
    } finally {
      await again.close();
    }
  });
});
