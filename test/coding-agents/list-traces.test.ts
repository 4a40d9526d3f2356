import assert from 'node:assert/strict';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { findLatestProject } from '../../src/client/find-project.ts';
import { listTraces } from '../../src/coding-agents/tools/list-traces.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { newRun, postParts, sendParts } from '../support/traces.ts';

describe('the pages of a list of traces', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  it('have each trace once, also if several began at the same time', async () => {
    const at = Date.now() - 10_000;
    const names = ['oldest', 'same 1', 'same 2', 'same 3', 'same 4', 'newest'];
    const runs = names.map((name) =>
      newRun({ name, at: name.startsWith('same') ? at : at + (name === 'newest' ? 1 : -1) }),
    );
    await sendParts(
      platform,
      runs.flatMap((run) => postParts(run)),
    );
    const dispatcher = createDispatcher();
    const client = clientOf({ baseUrl: platform.url, apiKey: platform.workspace.key }, dispatcher);
    const notUsed = async () => assert.fail('The tool only reads traces.');
    const project = await findLatestProject(client);
    const context = {
      platform: async () => client,
      deployment: notUsed,
      folder: notUsed,
      tracingProject: async () => project,
      signal: new AbortController().signal,
    };
    const listed: string[] = [];
    let before: string | undefined;
    do {
      const page = await listTraces.run(context, { before, limit: 2 });
      const { traces, next_before } = Object(page) as { traces: { name: string }[]; next_before?: string };
      listed.push(...traces.map(({ name }) => name));
      before = next_before;
    } while (before !== undefined && listed.length < 20);
    assert.deepEqual([listed[0], listed.at(-1)], ['newest', 'oldest']);
    assert.deepEqual(listed.toSorted(), names.toSorted());
    await dispatcher.close();
  });
});
