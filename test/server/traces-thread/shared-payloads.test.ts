import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { z } from 'zod';
import type { TeamTraces } from '../../../src/server/traces-thread/worker-data.ts';
import { type ObjectStore, requireMoto } from '../../support/object-stores.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { type Postgres, requirePostgres } from '../../support/postgres.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type TestTraceObjects, traceObjectsAt } from '../../support/trace-objects.ts';
import {
  newRun,
  postParts,
  runNames,
  sendParts,
  sessionId,
  type TestPart,
  type TestRun,
} from '../../support/traces.ts';
import { tracesDatabaseOf } from '../../support/traces-database.ts';
import { eventually } from '../../support/wait.ts';

/** More than the part of a payload that a row keeps, in characters of three bytes. */
const LARGE = 360_000;
const largeText = (word: string) => `${word} ${'語'.repeat(LARGE)} ${word}end`;
/** Bytes that cannot be compressed. */
const PICTURE = randomBytes(2_000_000);

/** A run whose payloads are all large, and a small run below it. */
function largeTrace(word: string, at?: number): { root: TestRun; parts: TestPart[] } {
  const root = newRun({ name: word, run_type: 'llm', ...(at === undefined ? {} : { at }) });
  const child = newRun({ parent: root, name: `below ${word}` });
  const payloads = {
    inputs: { text: largeText(word) },
    outputs: {
      answer: largeText(`${word}answer`),
      usage_metadata: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    },
    extra: { metadata: { kind: word }, more: largeText('more') },
    error: largeText('broken'),
  };
  const picture = { name: `attachment.${root.id}.picture`, content: PICTURE, contentType: 'image/png' };
  return {
    root,
    parts: [...postParts(root, payloads), picture, ...postParts(child, { inputs: { text: 'small' } })],
  };
}
const OBJECTS_OF_TRACE = 5;

for (const kind of ['in a folder', 'in S3, as moto has it'] as const) {
  describe(`large payloads of a team, ${kind}`, function () {
    this.timeout(240_000);
    let postgres: Postgres;
    let store: ObjectStore | undefined;
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    let traces: TeamTraces;
    let shared: TestTraceObjects;
    let one: Platform;
    let other: Platform;
    before(async function () {
      postgres = await requirePostgres(this);
      if (kind !== 'in a folder') store = await requireMoto(this);
      folder = await temporaryFolder();
      traces = await tracesDatabaseOf(postgres);
      const place =
        store === undefined ? path.join(folder.path, 'store') : `s3://${await store.createBucket()}/of/team`;
      shared = await traceObjectsAt(place, store?.environment);
      const dataDir = path.join(folder.path, 'data');
      await mkdir(dataDir);
      one = await startPlatform({ dataDir, traces, objects: shared.open });
      other = await startPlatform({ dataDir, traces, objects: shared.open });
    });
    after(async () => {
      await one?.close();
      await other?.close();
      await folder?.[Symbol.asyncDispose]();
      await store?.[Symbol.asyncDispose]();
      await postgres?.[Symbol.asyncDispose]();
    });

    const rows = (sql: string) => query(traces.url, sql);
    const names = () => shared.objects.list('traces/');
    const loose = () => rows('select name from harbor_traces.loose_objects');
    /** Removes objects that hold no payload now instead of in an hour. */
    const removeLoose = async () => {
      await rows('update harbor_traces.loose_objects set due = now()');
      await eventually('nothing is left over', async () => (await loose()).length === 0, Boolean, 30_000);
    };

    it('are only in the store, and answer every query as in a data folder', async () => {
      const embedded = await startPlatform();
      try {
        const { root, parts } = largeTrace('siskin');
        for (const platform of [embedded, one]) assert.equal((await sendParts(platform, parts)).status, 202);
        assert.equal((await names()).length, OBJECTS_OF_TRACE);
        assert.deepEqual(await rows('select count(*) from harbor_traces.blobs where data is null'), [
          { count: OBJECTS_OF_TRACE },
        ]);
        assert.deepEqual(await loose(), []);
        const [{ largest } = {}] = await rows('select max(length(head)) as largest from harbor_traces.blobs');
        assert.ok(Number(largest) < 50_000, `${largest} bytes of a payload are in its row`);
        const expected = await readAll(embedded, root);
        assert.deepEqual(await readAll(one, root), expected);
        assert.deepEqual(await readAll(other, root), expected);
      } finally {
        await embedded.close();
      }
    });

    it('may come inside runs sent as JSON, which are answered as in a data folder', async () => {
      const embedded = await startPlatform();
      try {
        const before_ = await names();
        const root = newRun({ name: 'redwing' });
        const batched = newRun({ name: 'in a batch', parent: root });
        const whole = newRun({ name: 'in one part', parent: root });
        const inOnePart = { ...whole, inputs: { text: largeText('whole') }, outputs: { answer: 'small' } };
        const noJson = `{"inputs":"${largeText('broken')}`;
        const updated = {
          inputs: null,
          outputs: { answer: largeText('updated') },
          end_time: root.start_time,
        };
        const batch = {
          post: [
            { ...batched, inputs: { text: largeText('batched') }, extra: { metadata: { kind: 'batched' } } },
          ],
          // A run that does not exist, and one that cannot exist.
          patch: [
            { ...newRun(), outputs: { answer: largeText('early') } },
            { outputs: { answer: largeText('none') } },
          ],
        };
        const answers = [];
        for (const platform of [embedded, one]) {
          const sent = [
            await platform.fetch('/runs', {
              method: 'POST',
              body: { ...root, inputs: { text: largeText('redwing') } },
            }),
            await platform.fetch(`/runs/${root.id}`, { method: 'PATCH', body: updated }),
            await platform.fetch('/runs/batch', { method: 'POST', body: batch }),
            await platform.fetch('/runs', {
              method: 'POST',
              body: { ...root, id: 'none', inputs: largeText('none') },
            }),
            await platform.fetch('/runs', {
              method: 'POST',
              body: { ...newRun(), inputs: largeText('no object') },
            }),
            await sendParts(platform, [{ name: `post.${whole.id}`, content: inOnePart }]),
            await sendParts(platform, [
              { name: `post.${newRun().id}`, content: Buffer.from(noJson), contentType: 'application/json' },
            ]),
          ];
          assert.deepEqual(
            sent.map(({ status }) => status),
            [202, 202, 422, 422, 422, 202, 422],
          );
          const runs = await platform.fetch('/runs/query', {
            method: 'POST',
            body: { trace: root.trace_id },
          });
          answers.push(comparable(await runs.json()));
        }
        assert.deepEqual(answers[1], answers[0]);
        // The inputs and outputs of one run and the inputs of the others; outputs that came early are in the database.
        const kept = await rows(`select object from harbor_traces.blobs where trace = '${root.trace_id}'`);
        assert.equal(kept.length, 4);
        // Early outputs, and inputs that are not an object, were uploaded too.
        await eventually('nothing is left over', async () => (await loose()).length === 0, Boolean, 30_000);
        assert.equal((await names()).length, before_.length + 4);
      } finally {
        await embedded.close();
      }
    });

    it('keep the digits of numbers where a data folder does, and are refused when they come twice', async () => {
      const embedded = await startPlatform();
      try {
        const before_ = await names();
        const digits = '12345678901234567890.125';
        const json = (text: string) => Buffer.from(`{"number":${digits},"text":"${text}"}`);
        const apart = newRun({ name: 'apart' });
        const inside = newRun({ name: 'inside' });
        const twice = newRun({ name: 'twice' });
        const whole = JSON.stringify({ ...inside, inputs: '' }).replace(
          '"inputs":""',
          () => `"inputs":${json(largeText('inside'))}`,
        );
        const outputs = { name: `post.${twice.id}.outputs`, contentType: 'application/json' };
        const [small, large] = [json('small'), json(largeText('twice'))];
        const read: unknown[] = [];
        for (const platform of [embedded, one]) {
          const kept = await sendParts(platform, [
            { name: `post.${apart.id}`, content: apart },
            {
              name: `post.${apart.id}.inputs`,
              content: json(largeText('apart')),
              contentType: 'application/json',
            },
            { name: `post.${inside.id}`, content: Buffer.from(whole), contentType: 'application/json' },
          ]);
          assert.equal(kept.status, 202);
          for (const [first, second] of [
            [small, small],
            [large, large],
            [small, large],
          ]) {
            const answer = await sendParts(platform, [
              { name: `post.${twice.id}`, content: twice },
              { ...outputs, content: first },
              { ...outputs, content: second },
            ]);
            assert.equal(answer.status, 422);
            assert.match(
              await answer.text(),
              new RegExp(`part '${outputs.name}' was sent twice in one request`),
            );
          }
          read.push(
            await Promise.all(
              [apart, inside].map(
                async ({ id }) =>
                  /"number":([\d.e+]+)/.exec(await (await platform.fetch(`/runs/${id}`)).text())?.[1],
              ),
            ),
          );
        }
        assert.deepEqual(read[1], read[0]);
        assert.deepEqual(read[0], [digits, String(Number(digits))]);
        await removeLoose();
        assert.equal((await names()).length, before_.length + 2);
      } finally {
        await embedded.close();
      }
    });

    it('leave nothing in the data folders of the servers', async () => {
      const left = await readdir(path.join(one.dataDir, 'blobs', 'staging'));
      assert.deepEqual(left, []);
    });

    it('are purged with proof from the store', async () => {
      const before_ = await names();
      const { root, parts } = largeTrace('wryneck');
      assert.equal((await sendParts(one, parts)).status, 202);
      assert.equal((await names()).length, before_.length + OBJECTS_OF_TRACE);
      const jobId = await purge(other, root);
      assert.deepEqual(await verified(one, jobId), { runs: 0, files: 0 });
      assert.deepEqual(await names(), before_);
      assert.deepEqual(await loose(), []);
    });

    it('are removed with the trace when it expires, but not while feedback keeps it', async () => {
      const before_ = await names();
      const [kept, expired] = [largeTrace('whimbrel'), largeTrace('wheatear')];
      for (const { parts } of [kept, expired]) assert.equal((await sendParts(one, parts)).status, 202);
      const body = { run_id: kept.root.id, key: 'good', score: 1 };
      assert.ok((await one.fetch('/feedback', { method: 'POST', body })).ok);
      const [{ ttl } = {}] = await rows(
        `select count(*) as ttl from harbor_traces.blobs where name like 'ttl_400d/${kept.root.trace_id}/%'`,
      );
      assert.equal(ttl, OBJECTS_OF_TRACE);
      assert.equal((await read(other, kept.root)).inputs.text, largeText('whimbrel'));
      await rows(`update harbor_traces.traces set expires_at = 1 where id = '${expired.root.trace_id}'`);
      // A server looks for expired traces once when it starts.
      await one.close();
      one = await startPlatform({ dataDir: one.dataDir, traces, objects: shared.open });
      await other.close();
      other = await startPlatform({ dataDir: one.dataDir, traces, objects: shared.open });
      await eventually(
        'it is gone',
        async () => (await names()).length === before_.length + OBJECTS_OF_TRACE,
        Boolean,
        60_000,
      );
      assert.equal((await other.fetch(`/runs/${expired.root.id}`)).status, 404);
      assert.equal((await read(other, kept.root)).inputs.text, largeText('whimbrel'));
    });

    it('become examples of a dataset', async () => {
      const { root, parts } = largeTrace('redstart');
      assert.equal((await sendParts(one, parts)).status, 202);
      const created = await other.fetch('/datasets', { method: 'POST', body: { name: 'large' } });
      const { id: dataset_id } = z.object({ id: z.string() }).parse(await created.json());
      const added = await other.fetch('/examples', {
        method: 'POST',
        body: {
          dataset_id,
          source_run_id: root.id,
          use_source_run_io: true,
          use_source_run_attachments: ['picture'],
        },
      });
      assert.equal(added.status, 200, await added.clone().text());
      const { id } = z.object({ id: z.string() }).parse(await added.json());
      const Example = z.object({
        inputs: z.object({ text: z.string() }),
        attachment_urls: z.object({ 'attachment.picture': z.object({ presigned_url: z.string() }) }),
      });
      const example = Example.parse(await (await one.fetch(`/examples/${id}`)).json());
      assert.equal(example.inputs.text, largeText('redstart'));
      const picture = await fetch(example.attachment_urls['attachment.picture'].presigned_url);
      assert.ok(PICTURE.equals(Buffer.from(await picture.arrayBuffer())));
    });

    it('are removed when their request did not need them or never ended, but not while it is under way', async () => {
      const { root, parts } = largeTrace('stonechat');
      assert.equal((await sendParts(one, parts)).status, 202);
      const before_ = await names();
      const underWay = 'traces/un/under-way.zst';
      await rows(
        `insert into harbor_traces.loose_objects (name, due) values ('${underWay}', now() + interval '1 hour')`,
      );
      // The same request again: stored payloads are kept as they are, and an attachment is replaced.
      assert.equal((await sendParts(other, parts)).status, 202);
      const isLeft = async () => isDeepStrictEqual(await loose(), [{ name: underWay }]);
      await eventually('what is under way is left', isLeft, Boolean, 30_000);
      assert.equal((await names()).length, before_.length + 1);
      assert.equal((await read(one, root)).inputs.text, largeText('stonechat'));
      await removeLoose();
    });

    it('cannot be stored in objects that are being removed', async () => {
      const { root, parts } = largeTrace('dunnock');
      // The record looks as if the upload had taken longer than a record is kept.
      await rows(`create function harbor_traces.late() returns trigger language plpgsql as
        $$ begin new.due := now() - interval '1 second'; new.doomed_at := now(); return new; end $$`);
      await rows(`create trigger late before insert on harbor_traces.loose_objects
        for each row execute function harbor_traces.late()`);
      try {
        const refused = await sendParts(one, parts);
        assert.equal(refused.status, 503);
        assert.match(await refused.text(), /took too long.*Nothing from this request was stored/);
      } finally {
        await rows('drop function harbor_traces.late cascade');
      }
      assert.equal((await one.fetch(`/runs/${root.id}`)).status, 404);
      assert.equal((await sendParts(one, parts)).status, 202);
      assert.equal((await read(one, root)).inputs.text, largeText('dunnock'));
    });
  });
}

describe('large payloads of a team whose object store cannot be used', function () {
  this.timeout(240_000);
  let postgres: Postgres;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let traces: TeamTraces;
  let shared: TestTraceObjects;
  let one: Platform;
  /** A server that was started without the store. */
  let without: Platform;
  const drive = () => path.join(folder.path, 'drive');
  const away = () => path.join(folder.path, 'away');
  before(async function () {
    postgres = await requirePostgres(this);
    folder = await temporaryFolder();
    traces = await tracesDatabaseOf(postgres);
    shared = await traceObjectsAt(drive());
    const dataDir = path.join(folder.path, 'data');
    await mkdir(dataDir);
    // The first server does the background work.
    without = await startPlatform({ dataDir, traces });
    await eventually('it is at work', async () => (await without.fetch('/sessions')).ok);
    one = await startPlatform({ dataDir, traces, objects: shared.open });
  });
  afterEach(async () => {
    // After a failure.
    if (existsSync(away())) await rename(away(), drive());
  });
  after(async () => {
    await one?.close();
    await without?.close();
    await folder?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  it('are refused with 503, none of their request is stored, and it can be sent again', async () => {
    const { root, parts } = largeTrace('linnet');
    await rename(drive(), away());
    const refused = await sendParts(one, parts);
    assert.equal(refused.status, 503);
    assert.match(await refused.text(), /The object store is not available, so large payloads/);
    assert.equal((await one.fetch(`/runs/${root.id}`)).status, 404);
    // Traces without large payloads are stored as usual.
    assert.equal(
      (await sendParts(one, postParts(newRun({ name: 'small' }), { inputs: { text: 'small' } }))).status,
      202,
    );
    await rename(away(), drive());
    assert.equal((await sendParts(one, parts)).status, 202);
    assert.equal((await read(one, root)).inputs.text, largeText('linnet'));
  });

  it('cannot be read until it is back, while the rest of their runs can', async () => {
    const { root, parts } = largeTrace('brambling');
    assert.equal((await sendParts(one, parts)).status, 202);
    await eventually('it is indexed', async () => (await find(one, 'brambling')).includes('brambling'));
    await rename(drive(), away());
    for (const [platform, told] of [
      [one, /The object store is not available, so large payloads/],
      [
        without,
        /which this server does not use\. Send the request to a server that was started with --objects/,
      ],
    ] as const) {
      const answer = await platform.fetch(`/runs/${root.id}`);
      assert.equal(answer.status, 503);
      assert.match(await answer.text(), told);
      assert.deepEqual(await namesOf(platform, root), ['below brambling', 'brambling']);
      assert.deepEqual(await find(platform, 'brambling'), ['brambling']);
      const previews = await platform.fetch('/runs/query', {
        method: 'POST',
        body: { trace: root.trace_id, select: ['inputs_preview', 'outputs_preview'] },
      });
      assert.match(await previews.text(), /brambling 語語.*bramblinganswer 語語/);
    }
    await rename(away(), drive());
    assert.equal((await read(one, root)).inputs.text, largeText('brambling'));
    assert.equal((await without.fetch(`/runs/${root.id}`)).status, 503);
  });

  it('are not reported as purged before the store is back and has confirmed it', async () => {
    const { root, parts } = largeTrace('fieldfare');
    assert.equal((await sendParts(one, parts)).status, 202);
    const before_ = await shared.objects.list('traces/');
    await rename(drive(), away());
    const jobId = await purge(without, root);
    const job = async () => Job.parse(await (await without.fetch(`/purge/jobs/${jobId}`)).json());
    await eventually('its rows are deleted', async () => (await job()).step === 'cleaning');
    // Long enough for several attempts.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    assert.equal((await job()).status, 'running');
    assert.deepEqual(await namesOf(without, root), []);
    // Other purges finish meanwhile.
    const small = newRun({ name: 'small' });
    assert.equal((await sendParts(one, postParts(small, { inputs: { text: 'small' } }))).status, 202);
    const otherId = await purge(without, small);
    await eventually('another deletes', async () => (await namesOf(without, small)).length === 0);
    await rename(away(), drive());
    // Objects that could not be removed are tried again after a minute.
    await query(traces.url, 'update harbor_traces.loose_objects set due = now() where doomed_at is not null');
    for (const id of [jobId, otherId]) assert.deepEqual(await verified(one, id), { runs: 0, files: 0 });
    assert.equal((await shared.objects.list('traces/')).length, before_.length - OBJECTS_OF_TRACE);
  });

  it('that it has lost are read like those that a data folder has lost', async () => {
    const { root, parts } = largeTrace('twite');
    assert.equal((await sendParts(one, parts)).status, 202);
    const [{ object } = {}] = await query(
      traces.url,
      `select object from harbor_traces.blobs where head is not null and trace = '${root.trace_id}' order by length(head) limit 1`,
    );
    await shared.objects.remove(String(object));
    const answer = await one.fetch(`/runs/${root.id}`);
    assert.equal(answer.status, 200);
    const { inputs, outputs } = z
      .object({ inputs: z.object({}), outputs: z.object({}).nullable() })
      .parse(await answer.json());
    assert.equal(Object.keys(inputs).length === 0 || outputs === null, true);
  });

  it('stay in the database when servers have no store, and can be read by those that have one', async () => {
    const { root, parts } = largeTrace('bullfinch');
    const before_ = await shared.objects.list('traces/');
    assert.equal((await sendParts(without, parts)).status, 202);
    assert.deepEqual(await shared.objects.list('traces/'), before_);
    for (const platform of [without, one])
      assert.equal((await read(platform, root)).inputs.text, largeText('bullfinch'));
  });
});

const Job = z.object({ status: z.string(), step: z.string() });
const Run = z.object({ inputs: z.object({ text: z.string() }) });

async function read(platform: Platform, { id }: TestRun): Promise<z.output<typeof Run>> {
  const answer = await platform.fetch(`/runs/${id}`);
  assert.equal(answer.status, 200, await answer.clone().text());
  return Run.parse(await answer.json());
}

async function namesOf(platform: Platform, { trace_id }: TestRun): Promise<string[]> {
  return (await runNames(platform, { trace: trace_id, select: ['name'] })).sort();
}

async function find(platform: Platform, word: string): Promise<string[]> {
  const session = [await sessionId(platform, 'test')];
  return runNames(platform, { session, filter: `search("${word}")`, select: ['name'] });
}

/** Everything that can be read of a trace. */
async function readAll(platform: Platform, { id, trace_id }: TestRun): Promise<unknown> {
  const word = 'siskin';
  await eventually('it is indexed', async () => (await find(platform, word)).length === 1);
  const ask = async (body: object) =>
    (await platform.fetch('/runs/query', { method: 'POST', body })).json() as Promise<unknown>;
  const session = [await sessionId(platform, 'test')];
  const run = await (await platform.fetch(`/runs/${id}`)).json();
  const { s3_urls } = z
    .object({ s3_urls: z.record(z.string(), z.object({ presigned_url: z.string() })) })
    .parse(run);
  const shared = await platform.fetch(`/runs/${id}/share`, { method: 'PUT' });
  const { share_token } = z.object({ share_token: z.string() }).parse(await shared.json());
  const public_ = await fetch(`${platform.url}/public/${share_token}/run`);
  const pictures = await Promise.all(
    Object.values(s3_urls).map(async ({ presigned_url }) =>
      PICTURE.equals(Buffer.from(await (await fetch(presigned_url)).arrayBuffer())),
    ),
  );
  return comparable({
    run,
    pictures,
    public: await public_.json(),
    all: await ask({ trace: trace_id }),
    previews: await ask({ session, select: ['inputs_preview', 'outputs_preview'] }),
    details: await ask({ session, select: ['prompt_token_details', 'total_tokens'] }),
    // Words at the beginning of a payload, and behind the part that is searched.
    found: await Promise.all(
      [word, `${word}answer`, `${word}end`, 'small'].map((sought) => find(platform, sought)),
    ),
    failed: await ask({ session, error: true, select: ['name', 'error'] }),
    kind: await ask({
      session,
      filter: `and(eq(metadata_key, "kind"), eq(metadata_value, "${word}"))`,
      select: ['name'],
    }),
  });
}

/** Leaves out what each server gives a trace itself. */
function comparable(value: unknown): unknown {
  const own = /url|session_id|^session$|received_at|inserted_at|share_token/;
  return JSON.parse(JSON.stringify(value, (name, member: unknown) => (own.test(name) ? undefined : member)));
}

async function purge(platform: Platform, { trace_id }: TestRun): Promise<string> {
  const body = { session_id: await sessionId(platform, 'test'), trace_ids: [trace_id] };
  const answer = await platform.fetch('/api/v1/runs/delete', { method: 'POST', body });
  assert.equal(answer.status, 202, await answer.clone().text());
  return z.object({ job_id: z.string() }).parse(await answer.json()).job_id;
}

/** Waits until a purge is verified. @returns the remaining data according to its audit */
async function verified(platform: Platform, jobId: string): Promise<{ runs?: number; files?: number }> {
  const isVerified = async () => {
    const job = Job.parse(await (await platform.fetch(`/purge/jobs/${jobId}`)).json());
    assert.notEqual(job.status, 'failed', JSON.stringify(job));
    return job.status === 'verified';
  };
  await eventually('it is verified', isVerified, Boolean, 60_000);
  const Entries = z.array(
    z.object({
      job_id: z.string(),
      event: z.string(),
      counts: z.object({ remaining: z.object({ runs: z.number(), files: z.number() }).optional() }),
    }),
  );
  const entries = Entries.parse(await (await platform.fetch('/purge/audit')).json());
  return (
    entries.find(({ job_id, event }) => job_id === jobId && event === 'verified')?.counts.remaining ?? {}
  );
}

async function query(database: string, sql: string): Promise<Record<string, unknown>[]> {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const client = new pg.Client({ connectionString: database, types });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
