import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { PurgeJob } from '../../../src/contract/purging.ts';
import { filesWith } from '../../support/files-with.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { BOUNDARY, multipartBody, newRun, postParts, sendParts } from '../../support/traces.ts';
import { requireTracesInFiles } from '../../support/traces-database.ts';
import { eventually } from '../../support/wait.ts';

interface Example {
  id: string;
  inputs: unknown;
  outputs: unknown;
  metadata: Record<string, unknown>;
  modified_at: string;
  deleted?: boolean;
}

describe('a dataset', () => {
  let platform: Platform;
  let datasetId: string;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());
  beforeEach(async () => {
    const response = await platform.fetch('/datasets', {
      method: 'POST',
      body: { name: randomUUID() },
    });
    datasetId = ((await response.json()) as { id: string }).id;
  });

  async function json<T>(route: string, init: { method?: string; body?: unknown } = {}): Promise<T> {
    const response = await platform.fetch(route, init);
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
  const add = (fields: object) =>
    json<Example>('/examples', { method: 'POST', body: { dataset_id: datasetId, inputs: {}, ...fields } });

  it('leaves a tombstone when an example is deleted, and keeps earlier versions', async () => {
    const example = await add({ inputs: { q: 1 }, outputs: { a: 1 }, metadata: { user: 'u1' } });
    const deleted = await platform.fetch('/v1/platform/datasets/examples/delete/', {
      method: 'POST',
      body: { example_ids: [example.id] },
    });
    assert.equal(deleted.status, 200);
    const tombstone = await json<Example>(`/examples/${example.id}`);
    assert.deepEqual([tombstone.inputs, tombstone.outputs, tombstone.deleted], [null, null, true]);
    assert.deepEqual(await json(`/examples?dataset=${datasetId}`), []);
    const then = encodeURIComponent(example.modified_at);
    const [before] = await json<Example[]>(`/examples?dataset=${datasetId}&as_of=${then}`);
    assert.deepEqual([before?.inputs, before?.outputs], [{ q: 1 }, { a: 1 }]);
  });

  it('removes a permanently deleted example from all versions', async () => {
    const example = await add({ inputs: { q: 'secret' }, metadata: { user: 'u1' } });
    await json(`/examples/${example.id}`, { method: 'PATCH', body: { inputs: { q: 'secret too' } } });
    const body = { example_ids: [example.id], hard_delete: true };
    assert.deepEqual(await json('/api/v1/platform/datasets/examples/delete', { method: 'POST', body }), {
      count: 1,
      example_ids: [example.id],
    });
    assert.equal((await platform.fetch(`/examples/${example.id}`)).status, 404);
    const then = encodeURIComponent(example.modified_at);
    assert.deepEqual(await json(`/examples?dataset=${datasetId}&as_of=${then}`), []);
    assert.equal((await platform.fetch(`/examples/${example.id}?as_of=${then}`)).status, 404);
  });

  it('matches any pair of metadata in the body of a GET, but all pairs in the query', async () => {
    const one = await add({ metadata: { user: 'u1', plan: 'free' } });
    const two = await add({ metadata: { user: 'u2', plan: 'free' } });
    await add({ metadata: { user: 'u3', plan: 'paid' } });
    const search = (query: string, metadata: object) =>
      get(platform.url, `/api/v1/examples${query}`, platform.workspace.key, { metadata });
    const now = encodeURIComponent(new Date(Date.now() + 1000).toISOString());
    const any = await search(`?as_of=${now}&dataset=${datasetId}`, { user: 'u1', plan: 'free' });
    assert.deepEqual((any.body as Example[]).map((example) => example.id).sort(), [one.id, two.id].sort());
    assert.equal((await search('', { user: 'u1' })).status, 422, 'as_of is required');
    const all = await json<Example[]>(
      `/examples?dataset=${datasetId}&metadata=${encodeURIComponent('{"user":"u1","plan":"free"}')}`,
    );
    assert.deepEqual(
      all.map((example) => example.id),
      [one.id],
    );
  });

  it('finds examples by a filter in which not() includes those without the field', async () => {
    const runId = randomUUID();
    const named = await add({ metadata: { user: 'u1' }, source_run_id: runId });
    const plain = await add({ metadata: { user: 'u2' } });
    const found = async (filter: string) =>
      (await json<Example[]>(`/examples?dataset=${datasetId}&filter=${encodeURIComponent(filter)}`))
        .map(({ id }) => id)
        .sort();
    const ofNamed = `eq(source_run_id, "${runId}")`;
    assert.deepEqual(await found(ofNamed), [named.id]);
    assert.deepEqual(await found(`not(${ofNamed})`), [plain.id]);
    assert.deepEqual(await found('eq(source_run_id, null)'), [plain.id]);
    const both = [named.id, plain.id].sort();
    assert.deepEqual(
      await found(`and(exists(metadata, "user"), not(has(metadata, '{"user": "u3"}')))`),
      both,
    );
    for (const wrong of ['and()', 'eq(nothing, 1)', 'eq(id, ["a"])', 'garbage(']) {
      const { status } = await platform.fetch(
        `/examples?dataset=${datasetId}&filter=${encodeURIComponent(wrong)}`,
      );
      assert.equal(status, 422, wrong);
    }
  });

  it('creates an example from a run', async () => {
    const run = newRun();
    await sendParts(platform, postParts(run, { inputs: { q: 1 }, outputs: { a: 2 } }));
    const example = await add({ inputs: undefined, source_run_id: run.id, use_source_run_io: true });
    assert.deepEqual([example.inputs, example.outputs], [{ q: 1 }, { a: 2 }]);
  });

  it('refuses an example whose run has none of the named attachments', async () => {
    const run = newRun();
    const chart = {
      name: `attachment.${run.id}.chart`,
      content: Buffer.from('png'),
      contentType: 'image/png',
    };
    await sendParts(platform, [...postParts(run, { inputs: { q: 1 } }), chart]);
    const create = (names: string[]) =>
      platform.fetch('/examples', {
        method: 'POST',
        body: {
          dataset_id: datasetId,
          source_run_id: run.id,
          use_source_run_io: true,
          use_source_run_attachments: names,
        },
      });
    const refused = await create(['chart', 'typo']);
    assert.equal(refused.status, 422);
    assert.match(await refused.text(), /use_source_run_attachments.*has no attachment 'typo'/);
    const created = await create(['chart']);
    assert.equal(created.status, 200, await created.text());
  });

  it('has splits that can be changed', async () => {
    const example = await add({ split: ['train', 'small'] });
    await add({});
    assert.deepEqual(await json(`/datasets/${datasetId}/splits`), ['base', 'small', 'train']);
    await json(`/datasets/${datasetId}/splits`, {
      method: 'PUT',
      body: { split_name: 'small', examples: [example.id], remove: true },
    });
    assert.deepEqual(await json(`/datasets/${datasetId}/splits`), ['base', 'train']);
    const [found] = await json<Example[]>(`/examples?dataset=${datasetId}&splits=train`);
    assert.equal(found?.id, example.id);
  });

  it('takes all changes of an example that a request names more than once, in their order', async () => {
    const example = await add({ inputs: { q: 1 } });
    const changes = [
      { id: example.id, inputs: { q: 2 } },
      { id: example.id, outputs: { a: 2 } },
    ];
    await json('/examples/bulk', { method: 'PATCH', body: changes });
    const changed = await json<Example>(`/examples/${example.id}`);
    assert.deepEqual([changed.inputs, changed.outputs], [{ q: 2 }, { a: 2 }]);
    const then = encodeURIComponent(example.modified_at);
    const before = await json<Example>(`/examples/${example.id}?as_of=${then}`);
    assert.deepEqual(before.inputs, { q: 1 });

    const twice = [example.id, example.id];
    const split = { split_name: 'test', examples: twice };
    await json(`/datasets/${datasetId}/splits`, { method: 'PUT', body: split });
    assert.deepEqual((await json<Example>(`/examples/${example.id}`)).metadata.dataset_split, [
      'base',
      'test',
    ]);

    const versions = () => json<unknown[]>(`/datasets/${datasetId}/versions`);
    const countBefore = (await versions()).length;
    const deleted = await json('/v1/platform/datasets/examples/delete', {
      method: 'POST',
      body: { example_ids: twice },
    });
    assert.deepEqual(deleted, { count: 1, example_ids: [example.id] });
    assert.equal((await versions()).length, countBefore + 1);
  });

  it('is exported as CSV and JSON lines, and imported again', async () => {
    await add({ inputs: { q: 'a "quoted", one' }, outputs: { n: 1 } });
    const csv = await (await platform.fetch(`/datasets/${datasetId}/csv`)).text();
    assert.match(csv, /^id,input\.q,output\.n,metadata/);
    assert.match(csv, /"a ""quoted"", one",1/);
    const lines = await (await platform.fetch(`/datasets/${datasetId}/jsonl`)).text();
    const form = new FormData();
    form.append('file', new Blob([lines], { type: 'application/jsonl' }), `${randomUUID()}.jsonl`);
    const imported = await json<{ id: string; example_count: number }>('/datasets/upload', {
      method: 'POST',
      body: form,
    });
    assert.equal(imported.example_count, 1);
    const [example] = await json<Example[]>(`/examples?dataset=${imported.id}`);
    assert.deepEqual([example?.inputs, example?.outputs], [{ q: 'a "quoted", one' }, { n: 1 }]);
  });

  it('names the line of a file that is not valid, counting empty lines', async () => {
    const form = new FormData();
    form.append(
      'file',
      new Blob(['{"inputs":{}}\n\n\nnot json\n'], { type: 'application/jsonl' }),
      'a.jsonl',
    );
    const refused = await platform.fetch('/datasets/upload', { method: 'POST', body: form });
    assert.equal(refused.status, 422);
    assert.match(await refused.text(), /Line 4 is not a JSON object/);
  });

  it('is not created from JSON lines whose outputs or metadata are not objects', async () => {
    for (const [line, field] of [
      ['{"inputs":{"q":"a"},"outputs":"an answer"}', 'outputs'],
      ['{"inputs":{"q":"a"},"metadata":["x"]}', 'metadata'],
      ['{"inputs":["a"]}', 'input_keys'],
    ] as const) {
      const form = new FormData();
      form.append(
        'file',
        new Blob([`{"inputs":{}}\n${line}\n`], { type: 'application/jsonl' }),
        `${randomUUID()}.jsonl`,
      );
      const refused = await platform.fetch('/datasets/upload', { method: 'POST', body: form });
      assert.equal(refused.status, 422, line);
      assert.match(
        await refused.text(),
        field === 'input_keys' ? /input_keys/ : new RegExp(`Row 2: ${field}: `),
      );
    }
  });

  it('is read at a time without seconds and offset', async () => {
    await add({ inputs: { q: 'early' } });
    assert.deepEqual(await json(`/examples?dataset=${datasetId}&as_of=2020-01-31 12:00`), []);
    assert.equal((await json<Example[]>(`/examples?dataset=${datasetId}&as_of=2090-01-31 12:00`)).length, 1);
  });

  async function uploadCsv(csv: string, keys: Record<string, string>): Promise<Response> {
    const form = new FormData();
    form.append('file', new Blob([csv], { type: 'text/csv' }), 'rows.csv');
    form.append('name', randomUUID());
    for (const [name, column] of Object.entries(keys)) form.append(name, column);
    return platform.fetch('/datasets/upload', { method: 'POST', body: form });
  }

  it('is a header as CSV, and nothing as JSON Lines, when empty', async () => {
    for (const [format, expected] of [
      ['csv', 'id,metadata'],
      ['jsonl', ''],
    ]) {
      const response = await platform.fetch(`/datasets/${datasetId}/${format}`);
      assert.deepEqual([response.status, (await response.text()).trim()], [200, expected]);
    }
  });

  it('keeps signs, lists and apostrophes in a CSV file without spreadsheet formulas', async () => {
    const texts = ['-5', '- a list', '=1+1', "'=quoted", "'plain", '+49 30 1', 'a, "b"\nc'];
    for (const q of texts) await add({ inputs: { q }, outputs: { n: -2.5 } });
    const csv = await (await platform.fetch(`/datasets/${datasetId}/csv`)).text();
    assert.match(csv, /,-2\.5,/);
    assert.doesNotMatch(csv, /(^|[,"])=/m);
    const keys = { input_keys: 'input.q', output_keys: 'output.n' };
    const { id } = (await (await uploadCsv(csv, keys)).json()) as { id: string };
    const again = await json<Example[]>(`/examples?dataset=${id}`);
    assert.deepEqual(
      again.map(({ inputs }) => (inputs as Record<string, string>)['input.q']).sort(),
      texts.toSorted(),
    );
    assert.ok(again.every(({ outputs }) => (outputs as Record<string, string>)['output.n'] === '-2.5'));
  });

  it('is not created from a CSV file with a missing column', async () => {
    for (const [csv, keys, message] of [
      ['q,a\n1,2\n', { input_keys: 'question' }, /no column 'question'; it has q, a/],
      ['q,a\n1,2\n', { input_keys: 'q', output_keys: 'answer' }, /no column 'answer'/],
      ['', { input_keys: 'q' }, /no column 'q'; it is empty/],
    ] as const) {
      const response = await uploadCsv(csv, keys);
      assert.equal(response.status, 422);
      assert.match(await response.text(), message);
    }
  });

  it('is not created from a CSV file with a row that has more fields than columns', async () => {
    for (const [csv, row] of [
      ['input\nhello, world\nbye\n', 1],
      ['input\nbye\nhello, world\n', 2],
      ['input,output\n1,2\n3,4,5\n', 2],
    ] as const) {
      const response = await uploadCsv(csv, { input_keys: 'input' });
      assert.equal(response.status, 422, csv);
      assert.match(await response.text(), new RegExp(`Row ${row}: Too many fields`));
    }
  });

  it('is removed from the disk when deleted, which a job verifies', async function () {
    requireTracesInFiles(this);
    const secret = `goldcrest${randomUUID()}`;
    await add({ inputs: { q: secret } });
    const example = await add({ inputs: { q: 1 }, metadata: { note: secret } });
    await json(`/examples/${example.id}`, { method: 'DELETE' });
    assert.notDeepEqual(filesWith(platform.dataDir, secret), []);
    const { job_id } = await json<{ job_id: string }>(`/datasets/${datasetId}`, { method: 'DELETE' });
    const job = await eventually(
      'the job ends',
      () => json<PurgeJob>(`/purge/jobs/${job_id}`),
      ({ status }) => status === 'verified' || status === 'failed',
    );
    assert.deepEqual([job.kind, job.status, job.matched, job.deleted], ['dataset', 'verified', 2, 2]);
    assert.deepEqual(filesWith(platform.dataDir, secret), []);
  });

  it('creates one version per request, and lists versions newest first', async () => {
    const body = [1, 2, 3].map((q) => ({ dataset_id: datasetId, inputs: { q } }));
    await json('/examples/bulk', { method: 'POST', body });
    const versions = await json<{ as_of: string; tags: string[] }[]>(`/datasets/${datasetId}/versions`);
    assert.equal(versions.length, 2);
    assert.deepEqual(versions[0]?.tags, ['latest']);
    assert.deepEqual(await json(`/examples/count?dataset=${datasetId}`), 3);
  });

  it('accepts only examples that match its schemas, from every source', async () => {
    const nested = { type: 'object', properties: { n: { type: 'number' } } };
    await json(`/datasets/${datasetId}`, {
      method: 'PATCH',
      body: {
        inputs_schema_definition: {
          type: 'object',
          properties: { input: nested, message: { $ref: 'https://example.com/message.json' } },
          required: ['input'],
        },
        outputs_schema_definition: { type: 'object', required: ['answer'] },
      },
    });
    const fitting = await add({ inputs: { input: { n: 1 }, message: 'any' }, outputs: { answer: 1 } });
    const form = new FormData();
    form.set('file', new Blob(['q\n1\n']), 'q.csv');
    form.set('input_keys', 'q');
    const example = { dataset_id: datasetId, inputs: {} };
    for (const [method, route, body, loc] of [
      ['POST', '/examples', example, ['body', 'inputs']],
      ['POST', '/examples/validate', example, ['body', 'inputs']],
      ['POST', '/examples/bulk', [example], ['body', 'inputs']],
      ['POST', `/examples/upload/${datasetId}`, form, ['body', 'inputs']],
      [
        'PATCH',
        `/examples/${fitting.id}`,
        { inputs: { input: { n: 'x' } } },
        ['body', 'inputs', 'input', 'n'],
      ],
      ['PATCH', `/examples/${fitting.id}`, { outputs: { a: 1 } }, ['body', 'outputs']],
    ] as const) {
      const response = await platform.fetch(route, { method, body });
      const text = await response.text();
      assert.equal(response.status, 422, `${method} ${route}: ${text}`);
      assert.deepEqual(JSON.parse(text).detail[0].loc, loc, text);
    }
    assert.equal((await json<Example[]>(`/examples?dataset=${datasetId}`)).length, 1);
    for (const schema of [{ $ref: '#/$defs/nowhere' }, { $id: 'http://[' }]) {
      const refused = await platform.fetch('/datasets', {
        method: 'POST',
        body: { name: randomUUID(), inputs_schema_definition: schema },
      });
      assert.equal(refused.status, 422, JSON.stringify(schema));
      assert.match(await refused.text(), /inputs_schema_definition is not a valid JSON schema/);
    }
  });

  it('replaces the attachments of an example, or keeps what an update retains and renames', async () => {
    const id = randomUUID();
    const sendExamples = async (method: string, parts: Record<string, string>, dataset = datasetId) => {
      const all = Object.entries(parts).map(([name, content]) => ({
        name: name === '' ? id : `${id}.${name}`,
        content: name.startsWith('attachment.') ? Buffer.from(content) : JSON.parse(content),
        contentType: name.startsWith('attachment.') ? 'text/plain' : 'application/json',
      }));
      return platform.fetch(`/v1/platform/datasets/${dataset}/examples`, {
        method,
        body: multipartBody(all),
        headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      });
    };
    const names = async () =>
      Object.keys((await json<{ attachment_urls: object | null }>(`/examples/${id}`)).attachment_urls ?? {})
        .map((name) => name.replace('attachment.', ''))
        .sort();
    await sendExamples('POST', { '': '{}', inputs: '{}', 'attachment.a': 'a', 'attachment.b': 'b' });
    assert.deepEqual(await names(), ['a', 'b']);
    await sendExamples('PATCH', { '': '{}', inputs: '{"q":1}' });
    assert.deepEqual(await names(), ['a', 'b']);
    for (const attachments_operations of [
      '{"retain":["a"],"rename":{"b":"a"}}',
      '{"retain":["a"],"rename":{"a":"c"}}',
    ]) {
      const clash = await sendExamples('PATCH', { '': '{}', attachments_operations });
      assert.equal(clash.status, 422, await clash.text());
    }
    assert.deepEqual(await names(), ['a', 'b']);
    for (const attachments_operations of ['{"retain":["a","b"]}', '{"retain":["b"],"rename":{"a":"a"}}']) {
      const parts = { '': '{}', attachments_operations, 'attachment.a': 'new' };
      const replaced = await sendExamples('PATCH', parts);
      assert.equal(replaced.status, 201, await replaced.text());
      assert.deepEqual(await names(), ['a', 'b']);
    }
    await sendExamples('PATCH', {
      '': '{}',
      attachments_operations: '{"rename":{"b":"c"}}',
      'attachment.d': 'd',
    });
    assert.deepEqual(await names(), ['c', 'd']);
    await sendExamples('PATCH', { '': '{}', 'attachment.e': 'e' });
    assert.deepEqual(await names(), ['e']);
    const other = await json<{ id: string }>('/datasets', {
      method: 'POST',
      body: { name: randomUUID() },
    });
    const foreign = await sendExamples('PATCH', { '': '{}', inputs: '{"q":2}' }, other.id);
    assert.equal(foreign.status, 409, await foreign.text());
    assert.deepEqual((await json<Example>(`/examples/${id}`)).inputs, { q: 1 });
  });

  it('is named after its file when no name is given', async () => {
    const form = new FormData();
    const name = `${randomUUID()}.csv`;
    form.set('file', new Blob(['q\n1\n']), name);
    form.set('input_keys', 'q');
    const made = await json<{ name: string }>('/datasets/upload', { method: 'POST', body: form });
    assert.equal(made.name, name);
  });

  it('is sorted by its examples, the number of its experiments, or its last experiment', async () => {
    const create = async () =>
      (await json<{ id: string }>('/datasets', { method: 'POST', body: { name: randomUUID() } })).id;
    const ids = [await create(), datasetId, await create()] as const;
    const [two, one, none] = ids;
    const experiment = (reference_dataset_id: string, start_time: string) =>
      json('/sessions', { method: 'POST', body: { name: randomUUID(), reference_dataset_id, start_time } });
    await add({});
    await add({ dataset_id: two });
    await add({ dataset_id: two });
    await experiment(two, '2026-01-01T00:00:00Z');
    await experiment(two, '2026-01-02T00:00:00Z');
    await experiment(one, '2026-01-03T00:00:00Z');
    const sorted = async (by: string) => {
      const query = `${ids.map((id) => `id=${id}`).join('&')}&sort_by=${by}`;
      return (await json<{ id: string }[]>(`/datasets?${query}`)).map(({ id }) => id);
    };
    assert.deepEqual(await sorted('example_count'), [two, one, none]);
    assert.deepEqual(await sorted('session_count'), [two, one, none]);
    assert.deepEqual(await sorted('last_session_start_time'), [one, two, none]);
    assert.deepEqual(await sorted('last_session_start_time&sort_by_desc=false'), [none, two, one]);
  });

  it('is copied with its attachments, which outlast the original', async () => {
    const id = randomUUID();
    const sent = await platform.fetch(`/v1/platform/datasets/${datasetId}/examples`, {
      method: 'POST',
      body: multipartBody([
        { name: id, content: {}, contentType: 'application/json' },
        { name: `${id}.inputs`, content: { q: 1 }, contentType: 'application/json' },
        { name: `${id}.attachment.page`, content: Buffer.from('scanned'), contentType: 'text/plain' },
      ]),
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    });
    assert.equal(sent.status, 201, await sent.text());
    await add({ inputs: { q: 2 } });
    const target = await json<{ id: string }>('/datasets', { method: 'POST', body: { name: randomUUID() } });
    await json('/datasets/clone', {
      method: 'POST',
      body: { source_dataset_id: datasetId, target_dataset_id: target.id },
    });
    const body = { example_ids: [id], hard_delete: true };
    await json('/v1/platform/datasets/examples/delete', { method: 'POST', body });
    type Attached = Pick<Example, 'inputs'> & {
      attachment_urls: Record<string, { presigned_url: string; mime_type: string }> | null;
    };
    const copies = await json<Attached[]>(
      `/examples?dataset=${target.id}&order=recently_created&descending=false`,
    );
    const read = copies.map(async ({ inputs, attachment_urls }) => {
      const page = attachment_urls?.['attachment.page'];
      const text = page && (await (await fetch(page.presigned_url)).text());
      return [inputs, page?.mime_type, text];
    });
    assert.deepEqual(await Promise.all(read), [
      [{ q: 1 }, 'text/plain', 'scanned'],
      [{ q: 2 }, undefined, undefined],
    ]);
  });

  it('is copied into another dataset', async () => {
    await add({ inputs: { q: 1 } });
    await add({ inputs: { q: 2 }, split: 'test' });
    const target = await json<{ id: string }>('/datasets', {
      method: 'POST',
      body: { name: randomUUID() },
    });
    await json('/datasets/clone', {
      method: 'POST',
      body: { source_dataset_id: datasetId, target_dataset_id: target.id, split: 'test' },
    });
    const copies = await json<Example[]>(`/examples?dataset=${target.id}`);
    assert.deepEqual(
      copies.map((example) => example.inputs),
      [{ q: 2 }],
    );
  });
});

/** A GET with a body, which `fetch` refuses to send. */
async function get(
  url: string,
  route: string,
  key: string,
  body: object,
): Promise<{ status: number; body: unknown }> {
  const { request } = await import('undici');
  const response = await request(`${url}${route}`, {
    method: 'GET',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.statusCode, body: await response.body.json() };
}
