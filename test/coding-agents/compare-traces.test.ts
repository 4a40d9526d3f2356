import assert from 'node:assert/strict';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { compareTraces } from '../../src/coding-agents/tools/compare-traces.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { newRun, postParts, sendParts } from '../support/traces.ts';

describe('the differences of two traces', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  /** Stores a trace whose root `agent` has these children, each with an output. @returns its ID */
  async function store(children: Readonly<Record<string, string>>): Promise<string> {
    const at = Date.now() - 10_000;
    const root = newRun({ name: 'agent', at });
    const parts = Object.entries(children).map(([name, said], index) =>
      postParts(newRun({ name, parent: root, at: at + index + 1 }), { outputs: { said } }),
    );
    await sendParts(platform, [...postParts(root), ...parts.flat()]);
    return root.id;
  }

  it('are in the order of the spans, also those that only the second trace has', async () => {
    const before = await store({ plan: 'a', search: 'b', answer: 'c' });
    const after = await store({ plan: 'a', check: 'new', search: 'other', publish: 'new' });
    const dispatcher = createDispatcher();
    const client = clientOf({ baseUrl: platform.url, apiKey: platform.workspace.key }, dispatcher);
    const notUsed = async () => assert.fail('The tool only reads traces.');
    const context = {
      platform: async () => client,
      deployment: notUsed,
      folder: notUsed,
      tracingProject: notUsed,
      signal: new AbortController().signal,
    };
    const { same, differences } = await compareTraces.run(context, { before, after });
    assert.equal(same, false);
    assert.deepEqual(
      Object(differences).map(({ span, what }: { span: string; what: string }) => [span, what]),
      [
        ['agent › check', 'added'],
        ['agent › search', 'outputs.said'],
        ['agent › answer', 'missing'],
        ['agent › publish', 'added'],
      ],
    );
    await dispatcher.close();
  });
});
