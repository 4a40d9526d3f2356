import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Session } from '../../../src/contract/tracing/sessions.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';

const ENDED = '2026-01-02T03:04:05.000000+00:00';

describe('a project', () => {
  let platform: Platform;
  let dataset: string;
  before(async () => {
    platform = await startPlatform();
    dataset = (await send('POST', '/datasets', { name: 'd' })).id;
  });
  after(() => platform.close());

  async function send(method: string, route: string, body: object): Promise<Session> {
    const response = await platform.fetch(route, { method, body });
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as Session;
  }
  /** The fields that a client may change. */
  const fieldsOf = ({ description, extra, end_time, ...others }: Session) => {
    const { default_dataset_id, reference_dataset_id, trace_tier } = others;
    return { description, extra, end_time, default_dataset_id, reference_dataset_id, trace_tier };
  };
  const full = () => ({
    description: 'Tried on Monday',
    extra: { metadata: { model: 'm' } },
    end_time: ENDED,
    default_dataset_id: dataset,
    reference_dataset_id: dataset,
    trace_tier: 'longlived',
  });

  it('keeps what is not given again when it is created once more', async () => {
    const name = randomUUID();
    const { id } = await send('POST', '/sessions', { name, ...full() });
    // The LangSmith clients send these where their caller leaves out the description and the metadata.
    for (const extra of [null, {}]) {
      const again = { name, id: randomUUID(), description: null, extra };
      assert.deepEqual(fieldsOf(await send('POST', '/sessions?upsert=true', again)), full());
    }
    const changed = await send('POST', '/sessions?upsert=true', { name, description: 'On Tuesday' });
    assert.deepEqual(fieldsOf(changed), { ...full(), description: 'On Tuesday' });
    const response = await platform.fetch(`/sessions/${id}`);
    assert.deepEqual(fieldsOf((await response.json()) as Session), fieldsOf(changed));
  });

  it('keeps its description, metadata and end when an update has null for them', async () => {
    const name = randomUUID();
    const { id } = await send('POST', '/sessions', { name, ...full() });
    const nothing = { name: null, description: null, extra: null, end_time: null };
    const updated = await send('PATCH', `/sessions/${id}`, nothing);
    assert.deepEqual([updated.name, fieldsOf(updated)], [name, full()]);
    const emptied = await send('PATCH', `/sessions/${id}`, { description: '', extra: {} });
    assert.deepEqual([emptied.description, emptied.extra], ['', {}]);
  });

  it('loses its default dataset and its tier when an update has null for them', async () => {
    const { id } = await send('POST', '/sessions', { name: randomUUID(), ...full() });
    const cleared = { default_dataset_id: null, trace_tier: null };
    assert.deepEqual(fieldsOf(await send('PATCH', `/sessions/${id}`, cleared)), { ...full(), ...cleared });
  });
});
