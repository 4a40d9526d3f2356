import assert from 'node:assert/strict';
import { type Platform, startPlatform } from '../../../support/platform.ts';
import { newRun, postParts, runNames, sendParts, sessionId, type TestRun } from '../../../support/traces.ts';

describe('the tags and metadata of a run that is updated', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  const metadata = (entries: object) => ({ extra: { metadata: entries } });
  const patchPart = ({ id, trace_id, dotted_order }: TestRun, fields: object) => ({
    name: `patch.${id}`,
    content: { trace_id, dotted_order, ...fields },
  });
  const send = async (...parts: Parameters<typeof sendParts>[1]) =>
    assert.equal((await sendParts(platform, parts)).status, 202);
  /** Which of these tags and users find a run. */
  async function found(name: string): Promise<string[]> {
    const session = [await sessionId(platform, 'test')];
    const filters = {
      draft: 'has(tags, "draft")',
      final: 'has(tags, "final")',
      ann: 'eq(metadata.user, "ann")',
      bob: `has(metadata, '{"user": "bob"}')`,
    };
    const finds = await Promise.all(
      Object.entries(filters).map(async ([label, filter]) => {
        const names = await runNames(platform, { session, filter: `and(eq(name, "${name}"), ${filter})` });
        return names.length === 0 ? [] : [label];
      }),
    );
    return finds.flat();
  }
  const first = { tags: ['draft'], ...metadata({ user: 'ann' }) };
  const second = { tags: ['final'], ...metadata({ user: 'bob' }) };

  it('are found in their newest version, also if an earlier one comes back', async () => {
    const run = newRun({ name: 'changed', ...first });
    await send(...postParts(run));
    await send(patchPart(run, second));
    assert.deepEqual(await found('changed'), ['final', 'bob']);
    await send(patchPart(run, first));
    assert.deepEqual(await found('changed'), ['draft', 'ann']);
    await send(patchPart(run, second), patchPart(run, first));
    assert.deepEqual(await found('changed'), ['draft', 'ann']);
    // A post that is sent again changes nothing.
    await send(patchPart(run, second));
    await send(...postParts(run));
    assert.deepEqual(await found('changed'), ['final', 'bob']);
  });

  it('stay if an update does not have them', async () => {
    const run = newRun({ name: 'kept', ...first });
    await send(...postParts(run));
    await send(patchPart(run, { outputs: { answer: 1 } }));
    assert.deepEqual(await found('kept'), ['draft', 'ann']);
    await send(patchPart(run, { tags: ['final'] }));
    assert.deepEqual(await found('kept'), ['final', 'ann']);
    await send({ name: `patch.${run.id}.extra`, content: second.extra });
    assert.deepEqual(await found('kept'), ['final', 'bob']);
    await send(patchPart(run, { tags: [], extra: { runtime: {} } }));
    assert.deepEqual(await found('kept'), []);
  });

  it('are found in their newest version if the update arrived first, or with the post', async () => {
    const early = newRun({ name: 'early', ...first });
    await send(patchPart(early, second));
    await send(...postParts(early));
    assert.deepEqual(await found('early'), ['final', 'bob']);
    const together = newRun({ name: 'together', ...first });
    await send(patchPart(together, { tags: [], extra: { runtime: {} } }), ...postParts(together));
    assert.deepEqual(await found('together'), []);
  });

  it('are found in their newest version if they are sent as a batch', async () => {
    const run = newRun({ name: 'batch', ...first });
    for (const body of [{ post: [run] }, { patch: [{ ...run, ...second }] }]) {
      const response = await platform.fetch('/runs/batch', { method: 'POST', body });
      assert.equal(response.status, 202);
    }
    assert.deepEqual(await found('batch'), ['final', 'bob']);
  });

  it('are still found for other runs that have them', async () => {
    const [changed, other] = [newRun({ name: 'one', ...first }), newRun({ name: 'other', ...first })];
    await send(...postParts(changed), ...postParts(other));
    await send(patchPart(changed, second));
    assert.deepEqual(await found('other'), ['draft', 'ann']);
    await send(patchPart(other, second));
    assert.deepEqual(
      [await found('one'), await found('other')],
      [
        ['final', 'bob'],
        ['final', 'bob'],
      ],
    );
  });
});
