import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Platform, startPlatform } from '../../../support/platform.ts';

const PROJECT = 'attempts';
const SECOND = 1_000;

/** A span as an SDK sends it. */
interface Sent {
  readonly id: string;
  readonly [field: string]: unknown;
}

interface Stored {
  readonly status: string;
  readonly error: string | null;
  readonly end_time: string | null;
  readonly extra: { readonly metadata: { readonly run_attempt: number } };
}

describe('attempts of a run, in its trace', function () {
  this.timeout(60_000);
  let platform: Platform;
  const now = Date.now();
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  const segment = (id: string, at: number) =>
    `${new Date(at).toISOString().replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`;

  function root(id: string, attempt: number, at: number): Sent {
    return {
      id,
      trace_id: id,
      dotted_order: segment(id, at),
      name: 'agent',
      run_type: 'chain',
      session_name: PROJECT,
      start_time: new Date(at).toISOString(),
      inputs: {},
      extra: { metadata: { run_attempt: attempt } },
    };
  }

  function child(parent: Sent, name: string, at: number, metadata: object): Sent {
    const id = randomUUID();
    return {
      ...parent,
      id,
      parent_run_id: parent.id,
      dotted_order: `${String(parent.dotted_order)}.${segment(id, at)}`,
      name,
      start_time: new Date(at).toISOString(),
      extra: { metadata },
    };
  }

  function ended({ id, trace_id, dotted_order, parent_run_id, session_name }: Sent, outcome: object): Sent {
    const end_time = new Date(now + SECOND).toISOString();
    return { id, trace_id, dotted_order, parent_run_id, session_name, end_time, ...outcome };
  }

  async function send(batch: { post?: Sent[]; patch?: Sent[] }): Promise<string> {
    const response = await platform.fetch('/runs/batch', { method: 'POST', body: batch });
    return `${response.status} ${await response.text()}`;
  }

  async function read(id: string): Promise<Stored> {
    return (await (await platform.fetch(`/runs/${id}`)).json()) as Stored;
  }

  const traces = () => platform.tracing.interruptedTraces(platform.workspace.id, PROJECT);

  it('continue in the same root, whatever the clocks of their servers say, and only the last one ends it', async () => {
    const id = randomUUID();
    const [first, second] = [root(id, 1, now), root(id, 2, now - 240 * SECOND)];
    await send({ post: [first] });
    await send({ post: [second, child(second, 'work', now - 239 * SECOND, { run_attempt: 2 })] });
    assert.match(await send({ patch: [ended(first, { error: 'interrupted' })] }), /differs from/);
    assert.equal((await read(id)).status, 'pending');
    await send({ patch: [ended(second, { outputs: { answer: 42 } })] });
    assert.match(await send({ post: [first] }), /already posted/);
    const { status, error } = await read(id);
    assert.deepEqual([status, error], ['success', null]);
  });

  it('continue even after one that had ended its trace before the end of the run was stored', async () => {
    const id = randomUUID();
    const [first, second] = [root(id, 1, now), root(id, 2, now + 10 * SECOND)];
    await send({ post: [first], patch: [ended(first, { outputs: {} })] });
    await send({ post: [second] });
    assert.equal((await read(id)).status, 'pending');
    await send({ patch: [ended(second, { error: 'It has failed.' })] });
    assert.equal((await read(id)).error, 'It has failed.');
  });

  it('count up to the latest one, so that an earlier one that arrives late changes nothing', async () => {
    const id = randomUUID();
    const [first, second, third] = [
      root(id, 1, now),
      root(id, 2, now + 10 * SECOND),
      root(id, 3, now + 20 * SECOND),
    ];
    await send({ post: [first] });
    await send({ post: [third] });
    await send({ patch: [ended(third, { outputs: { answer: 42 } })] });
    assert.match(await send({ post: [second] }), /already posted/);
    const { status, end_time, extra } = await read(id);
    assert.equal(status, 'success');
    assert.notEqual(end_time, null);
    assert.equal(extra.metadata.run_attempt, 3);
  });

  it('keep what the root says about itself when a later one says nothing', async () => {
    const id = randomUUID();
    await send({ post: [root(id, 1, now)] });
    const { extra: _, ...silent } = root(id, 2, now + 10 * SECOND);
    await send({ post: [silent] });
    assert.equal((await read(id)).extra.metadata.run_attempt, 1);
  });

  it('are those of a span, too, that continues in a later one', async () => {
    const id = randomUUID();
    const first = root(id, 1, now);
    const span = child(first, 'goes on', now + SECOND, { run_attempt: 1 });
    await send({ post: [first, span] });
    const { id: run, trace_id, dotted_order, parent_run_id, session_name } = span;
    const same = { id: run, trace_id, dotted_order, parent_run_id, session_name };
    await send({ patch: [{ ...same, extra: { metadata: { run_attempt: 2 } } }] });
    for (const [attempt, status] of [
      [2, 'pending'],
      [3, 'error'],
    ] as const) {
      await traces().endEarlierAttempts(id, { attempt, startedAt: new Date(now) });
      assert.equal((await read(span.id)).status, status, `attempt ${attempt} has ended`);
    }
  });

  it('end when the next one began, whenever that is noticed', async () => {
    const id = randomUUID();
    const [first, third] = [root(id, 1, now), root(id, 3, now + 20 * SECOND)];
    const at = (seconds: number) => now + seconds * SECOND;
    const goesOn = child(first, 'goes on', at(1), { run_attempt: 1 });
    const lost = child(first, 'lost', at(2), { run_attempt: 1 });
    const again = child(first, 'again', at(11), { run_attempt: 2 });
    const silent = child(first, 'silent', at(3), {});
    await send({ post: [first, goesOn, lost, again, silent] });
    const { id: span, trace_id, dotted_order, parent_run_id, session_name } = goesOn;
    const same = { id: span, trace_id, dotted_order, parent_run_id, session_name };
    await send({ patch: [{ ...same, extra: { metadata: { run_attempt: 3 } } }] });
    await send({ post: [third, child(third, 'at last', at(21), { run_attempt: 3 })] });
    await traces().endEarlierAttempts(id, { attempt: 3, startedAt: new Date(at(20)) });
    const endOf = async (one: Sent) => (Date.parse((await read(one.id)).end_time ?? '') - now) / SECOND;
    assert.deepEqual(await Promise.all([lost, again, silent].map(endOf)), [11, 21, 20]);
    assert.equal((await read(goesOn.id)).status, 'pending');
  });

  it('are ordered by their numbers, the tenth after the ninth', async () => {
    const id = randomUUID();
    const eighth = root(id, 8, now);
    const at = (seconds: number) => now + seconds * SECOND;
    const lost = child(eighth, 'lost', at(1), { run_attempt: 8 });
    const lostNext = child(eighth, 'lost next', at(12), { run_attempt: 9 });
    // Begun in the ninth attempt, and continued in the tenth.
    const goesOn = child(eighth, 'goes on', at(11), { run_attempt: 9 });
    await send({ post: [eighth, lost, goesOn, lostNext] });
    const { id: span, trace_id, dotted_order, parent_run_id, session_name } = goesOn;
    const same = { id: span, trace_id, dotted_order, parent_run_id, session_name };
    await send({ patch: [{ ...same, extra: { metadata: { run_attempt: 10 } } }] });
    await send({ post: [child(eighth, 'tenth', at(21), { run_attempt: 10 })] });
    await traces().endEarlierAttempts(id, { attempt: 10, startedAt: new Date(at(20)) });
    const endOf = async (one: Sent) => (Date.parse((await read(one.id)).end_time ?? '') - now) / SECOND;
    assert.deepEqual(await Promise.all([lost, lostNext].map(endOf)), [11, 21]);
  });

  it('are cut off by a later one, as the spans that they left open, and no others, say', async () => {
    const id = randomUUID();
    const first = root(id, 1, now);
    const second = root(id, 2, now - 240 * SECOND);
    const left = child(first, 'left', now + SECOND, { run_attempt: 1 });
    const older = child(first, 'older', now - 300 * SECOND, {});
    const newer = child(first, 'newer', now + SECOND, {});
    await send({ post: [first, left, older, newer] });
    const working = child(second, 'works', now - 239 * SECOND, { run_attempt: 2 });
    await send({ post: [second, working] });
    await traces().endEarlierAttempts(id, { attempt: 2, startedAt: new Date(now - 240 * SECOND) });
    const message = 'interrupted: this attempt was cut off, and attempt 2 continued the run.';
    for (const span of [left, older]) {
      const { status, error, end_time } = await read(span.id);
      assert.deepEqual([status, error], ['error', message], String(span.name));
      assert.notEqual(end_time, null);
    }
    for (const span of [newer, working, second])
      assert.equal((await read(span.id)).status, 'pending', String(span.name));
  });
});
