import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { askForProjectAndScope } from '../../src/extension/commands/purging/ask-for-scope.ts';
import { chooseDataset, chooseExistingDataset } from '../../src/extension/datasets/choose-dataset.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { httpPeer, json } from '../support/http-peer.ts';

const TIME = '2026-01-01T00:00:00Z';

/** A platform with so many datasets and projects, which lists at most a hundred at once. */
const platformOf = (count: number) =>
  httpPeer(({ url }, response) => {
    const query = new URL(url, 'http://platform').searchParams;
    const offset = Number(query.get('offset') ?? 0);
    const rows = Array.from({ length: Math.min(Number(query.get('limit')), count - offset) }, (_, n) => ({
      ...{ id: `${offset + n}`, tenant_id: '', name: `row ${offset + n}` },
      ...{ created_at: TIME, modified_at: TIME, start_time: TIME },
    }));
    json(response, 200, rows);
  });

type Options = vscode.QuickPickOptions | undefined;

/** The labels that a question offers, and the note above them. */
async function offered(ask: (client: ReturnType<typeof clientOf>) => Promise<unknown>, count: number) {
  await using platform = await platformOf(count);
  const { showQuickPick } = vscode.window;
  const seen: { labels: readonly string[]; note: string | undefined }[] = [];
  const stub = async (items: Promise<vscode.QuickPickItem[]> | vscode.QuickPickItem[], options: Options) => {
    seen.push({ labels: (await items).map(({ label }) => label), note: options?.placeHolder });
    return undefined;
  };
  Object.assign(vscode.window, { showQuickPick: stub });
  try {
    await ask(clientOf({ baseUrl: platform.url, apiKey: 'key' }, createDispatcher()));
  } finally {
    Object.assign(vscode.window, { showQuickPick });
  }
  return seen[0] ?? assert.fail('Nothing was asked.');
}

for (const [title, first, ask] of [
  ['the question for a dataset', 0, (client) => chooseExistingDataset(client, 'Dataset')],
  ['the question for a dataset or a new one', 1, (client) => chooseDataset(client)],
  ['the question for the project to purge', 1, askForProjectAndScope],
] satisfies [string, number, (client: ReturnType<typeof clientOf>) => Promise<unknown>][])
  describe(title, () => {
    it('offers all of more than a hundred', async () => {
      const { labels, note } = await offered(ask, 130);
      assert.deepEqual([labels.length, labels.at(-1), note], [first + 130, 'row 129', undefined]);
    });

    it('says so if there are more than it offers', async () => {
      const { labels, note } = await offered(ask, 1001);
      assert.equal(labels.length, first + 1000);
      assert.match(note ?? '', /^Only the 1000 (?:datasets|projects) /);
    });
  });
