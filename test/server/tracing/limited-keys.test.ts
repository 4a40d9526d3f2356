import assert from 'node:assert/strict';
import type { NewApiKey } from '../../../src/contract/identity.ts';
import { type Platform, request, startPlatform } from '../../support/platform.ts';

type Answer = readonly [status: number, text: string];

describe('a key that traces to one project', () => {
  let platform: Platform;
  let key: string;
  /** A key of another project. */
  let theirs: { run: string; feedback: string; session: string };
  before(async () => {
    platform = await startPlatform();
    const made = await ask('POST', '/api-key', { rights: ['trace'], projects: ['mine'] });
    key = (JSON.parse(made[1]) as NewApiKey).key;
    const run = crypto.randomUUID();
    await ask('POST', '/runs', { ...newRun('theirs'), id: run });
    const [, feedback] = await ask('POST', '/feedback', { run_id: run, key: 'k', comment: 'SECRET' });
    const [, sessions] = await ask('GET', '/sessions?name=theirs');
    theirs = { run, feedback: JSON.parse(feedback).id, session: JSON.parse(sessions)[0].id };
  });
  after(() => platform.close());

  async function ask(method: string, route: string, body?: object): Promise<Answer> {
    const response = await platform.fetch(route, body === undefined ? { method } : { method, body });
    return [response.status, await response.text()];
  }
  async function limited(method: string, route: string, body?: object): Promise<Answer> {
    const asked = { id: '', key };
    const response = await request(platform.url, asked, route, {
      method,
      ...(body === undefined ? {} : { body }),
    });
    return [response.status, await response.text()];
  }
  const newRun = (session_name?: string) => ({
    id: crypto.randomUUID(),
    name: 'n',
    run_type: 'chain',
    inputs: {},
    start_time: new Date().toISOString(),
    ...(session_name === undefined ? {} : { session_name }),
  });
  const projectOf = async (run: string) => {
    const [status, text] = await ask('GET', `/runs/${run}`);
    if (status !== 200) return undefined;
    const [, session] = await ask('GET', `/sessions/${JSON.parse(text).session_id}`);
    return JSON.parse(session).name as string;
  };

  it('writes runs to it, even if they name no project', async () => {
    for (const name of ['mine', undefined]) {
      const run = newRun(name);
      assert.equal((await limited('POST', '/runs', run))[0], 202);
      assert.equal((await limited('PATCH', `/runs/${run.id}`, { end_time: run.start_time }))[0], 202);
      assert.equal(await projectOf(run.id), 'mine');
    }
  });

  it('writes no run to another project, and makes no project', async () => {
    const other = newRun('elsewhere');
    const [status, text] = await limited('POST', '/runs', other);
    assert.equal(status, 403, text);
    assert.match(text, /may not write to project 'elsewhere', only to 'mine'/);
    assert.equal(JSON.parse((await ask('GET', '/sessions?name=elsewhere'))[1]).length, 0);
    const good = newRun('mine');
    const place = (run: typeof good) => ({
      ...run,
      trace_id: run.id,
      dotted_order: `20260101T000000000000Z${run.id}`,
    });
    const batch = { post: [place(newRun('elsewhere')), place(good)] };
    const [batched, said] = await limited('POST', '/runs/batch', batch);
    assert.equal(batched, 422);
    assert.match(said, /may not write to project/);
    assert.equal(await projectOf(good.id), 'mine', 'the others of a batch are stored');
  });

  it('changes no run in another project, whether it was there before or comes later', async () => {
    const change = { outputs: { stolen: true }, error: 'FORGED' };
    assert.equal((await limited('PATCH', `/runs/${theirs.run}`, change))[0], 403);
    assert.equal((await limited('POST', '/runs', { ...newRun('mine'), id: theirs.run }))[0], 403);
    const later = newRun('theirs');
    await limited('PATCH', `/runs/${later.id}`, change);
    await ask('POST', '/runs', later);
    for (const run of [theirs.run, later.id]) {
      const [, text] = await ask('GET', `/runs/${run}`);
      assert.doesNotMatch(text, /FORGED|stolen/);
    }
    const own = newRun('mine');
    await limited('PATCH', `/runs/${own.id}`, { error: 'late' });
    await limited('POST', '/runs', own);
    assert.match((await ask('GET', `/runs/${own.id}`))[1], /late/, 'its own may come in any order');
  });

  it('moves no trace of another project along with a root', async () => {
    const child = newRun('theirs');
    const root = newRun('mine');
    const order = `20260101T000000000000Z${root.id}`;
    await ask('POST', '/runs', {
      ...child,
      trace_id: root.id,
      parent_run_id: root.id,
      dotted_order: `${order}.20260101T000000000001Z${child.id}`,
    });
    assert.equal(
      (await limited('POST', '/runs', { ...root, trace_id: root.id, dotted_order: order }))[0],
      403,
    );
  });

  it('gives, changes and deletes feedback only in its project', async () => {
    const own = newRun('mine');
    await limited('POST', '/runs', own);
    const [status, made] = await limited('POST', '/feedback', { run_id: own.id, key: 'k', score: 1 });
    assert.equal(status, 200, made);
    const { id } = JSON.parse(made);
    assert.equal((await limited('PATCH', `/feedback/${id}`, { score: 0 }))[0], 200);
    assert.equal((await limited('DELETE', `/feedback/${id}`))[0], 200);
    const refused: [string, string, object?][] = [
      ['POST', '/feedback', { run_id: theirs.run, key: 'k', score: 1 }],
      ['POST', '/feedback', { session_id: theirs.session, key: 'k', score: 1 }],
      ['PATCH', `/feedback/${theirs.feedback}`, { score: 0 }],
      ['DELETE', `/feedback/${theirs.feedback}`],
      ['POST', '/feedback', { id: theirs.feedback, run_id: own.id, key: 'k', score: 1 }],
      ['POST', '/feedback/tokens', { run_id: theirs.run, feedback_key: 'k' }],
    ];
    for (const [method, route, body] of refused) {
      const [answered, text] = await limited(method, route, body);
      assert.ok([403, 404].includes(answered), `${method} ${route}: ${answered} ${text}`);
      assert.doesNotMatch(text, /SECRET/);
    }
    const [, links] = await limited('GET', `/feedback/tokens?run_id=${theirs.run}`);
    assert.deepEqual(JSON.parse(links), []);
  });

  it('gives no feedback to a run of another project that comes later, directly or by a link', async () => {
    const [mine, other] = [newRun('mine'), newRun('theirs')];
    for (const { id } of [mine, other]) {
      assert.equal((await limited('POST', '/feedback', { run_id: id, key: 'early', score: 1 }))[0], 200);
      const [, link] = await limited('POST', '/feedback/tokens', { run_id: id, feedback_key: 'linked' });
      await fetch(`${JSON.parse(link).url}?score=1`);
    }
    for (const run of [mine, other]) await ask('POST', '/runs', run);
    const statsOf = async (id: string) =>
      Object.keys(JSON.parse((await ask('GET', `/runs/${id}`))[1]).feedback_stats ?? {}).toSorted();
    assert.deepEqual(await statsOf(mine.id), ['early', 'linked']);
    assert.deepEqual(await statsOf(other.id), []);
  });

  it('leaves links that say that its project was deleted, and do not create it again', async () => {
    const [, made] = await ask('POST', '/api-key', { rights: ['trace'], projects: ['gone'] });
    const gone = { id: '', key: (JSON.parse(made) as NewApiKey).key };
    const body = { run_id: crypto.randomUUID(), feedback_key: 'k' };
    const link = await request(platform.url, gone, '/feedback/tokens', { method: 'POST', body });
    const { url } = (await link.json()) as { url: string };
    assert.equal((await fetch(`${url}?score=1`)).status, 200);
    const [, found] = await ask('GET', '/sessions?name=gone');
    assert.equal((await ask('DELETE', `/sessions/${JSON.parse(found)[0].id}`))[0], 202);
    const refused = await fetch(`${url}?score=0`);
    assert.deepEqual(
      [refused.status, await refused.json()],
      [404, { detail: 'The project of this feedback link was deleted.' }],
    );
    assert.deepEqual(await ask('GET', '/sessions?name=gone'), [200, '[]']);
  });

  it('sends OpenTelemetry spans only to its project', async () => {
    const span = (
      name: string,
      traceId: string,
      spanId: string,
      project?: string,
      attribute = 'langsmith.trace.session_name',
    ) => ({
      traceId,
      spanId,
      name,
      kind: 1,
      startTimeUnixNano: '1767225600000000000',
      endTimeUnixNano: '1767225601000000000',
      attributes: project === undefined ? [] : [{ key: attribute, value: { stringValue: project } }],
    });
    const send = async (spans: object[], by = limited) => {
      const [status, text] = await by('POST', '/otel/v1/traces', {
        resourceSpans: [{ scopeSpans: [{ spans }] }],
      });
      assert.equal(status, 200, text);
      return JSON.parse(text).partialSuccess?.rejectedSpans ?? 0;
    };
    const [one, two, shared] = ['1', '2', '3'].map((digit) => digit.repeat(32));
    assert.equal(
      await send([span('a', one ?? '', '1111111111111111'), span('b', two ?? '', '2'.repeat(16), 'theirs')]),
      1,
    );
    const uuid = '11111111-1111-1111-1111-111111111111';
    assert.equal(await projectOf(uuid), 'mine');
    assert.equal(await projectOf(uuid.replaceAll('1', '2')), undefined);
    const byId = span('c', '5'.repeat(32), '5'.repeat(16), theirs.session, 'langsmith.trace.session_id');
    assert.equal(await send([byId]), 1);
    assert.equal(await projectOf(uuid.replaceAll('1', '5')), undefined);
    await send([span('root', shared ?? '', '3'.repeat(16), 'theirs')], ask);
    assert.equal(await send([span('FORGED', shared ?? '', '4'.repeat(16), 'mine')]), 1);
    const [, root] = await ask('GET', `/runs/${uuid.replaceAll('1', '3')}`);
    assert.match(root, /"name":"root"/);
  });
});
