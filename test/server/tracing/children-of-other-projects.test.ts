import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Change } from '../../../src/contract/harbor.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { newRun, readRun, sessionId, type TestRun } from '../../support/traces.ts';
import { eventually } from '../../support/wait.ts';

const MODEL = 'a-model';
/** Dollars for a million tokens, by project. */
const PRICES = { a: 1, b: 1000 };

describe('a child run of another project', () => {
  let platform: Platform;
  const cleanup = new AsyncDisposableStack();
  before(async () => {
    platform = await startPlatform();
    cleanup.defer(() => platform.close());
    for (const [name, input_mtok] of Object.entries(PRICES)) {
      const folder = cleanup.use(await temporaryFolder()).path;
      const models = [{ model: MODEL, prices: { input_mtok, output_mtok: input_mtok } }];
      await writeFile(path.join(folder, 'prices.json'), JSON.stringify({ models }));
      platform.tracing.usePrices({ workspaceId: platform.workspace.id, name }, folder);
    }
  });
  after(() => cleanup.disposeAsync());

  async function send(...runs: TestRun[]): Promise<void> {
    const sent = await platform.fetch('/runs/batch', { method: 'POST', body: { post: runs } });
    assert.equal(sent.status, 202, await sent.text());
  }

  /** A call that costs what a million tokens cost. */
  const call = (parent: TestRun, session_name: string) =>
    newRun({
      parent,
      session_name,
      run_type: 'llm',
      extra: { metadata: { ls_provider: 'ours', ls_model_name: MODEL } },
      outputs: { usage_metadata: { input_tokens: 1_000_000, output_tokens: 0, total_tokens: 1_000_000 } },
    });

  const costOf = async ({ id }: TestRun) => Number((await readRun(platform, id)).total_cost);

  it('is published as a change of the project of its trace', async () => {
    const root = newRun({ session_name: 'a' });
    const seen: Change[] = [];
    const unsubscribe = platform.changes.subscribe(platform.workspace.id, (changes) => {
      seen.push(...changes.filter(({ id }) => id === root.trace_id));
    });
    await send(root);
    await eventually('the trace is published', () => seen.length === 1);
    await send(newRun({ parent: root, session_name: 'b' }));
    await eventually('its change is published', () => seen.length === 2);
    unsubscribe();
    const project = await sessionId(platform, 'a');
    assert.deepEqual(
      seen.map(({ action, session_id }) => [action, session_id]),
      [
        ['created', project],
        ['updated', project],
      ],
    );
  });

  it('is priced as a call of its own project, and so are its siblings', async () => {
    const stored = newRun({ session_name: 'a' });
    await send(stored);
    const sent = newRun({ session_name: 'a', name: randomUUID() });
    for (const [root, others] of [
      [stored, []],
      [sent, [sent]],
    ] as const) {
      const [other, own] = [call(root, 'b'), call(root, 'a')];
      await send(...others, other, own);
      assert.deepEqual([await costOf(other), await costOf(own)], [PRICES.b, PRICES.a]);
      assert.equal(await costOf(root), PRICES.a + PRICES.b);
    }
  });
});
