import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { rollBack } from '../../src/extension/commands/deployments/roll-back.ts';
import { LocalConnection } from '../../src/extension/connections/local.ts';
import { RevisionNumbers } from '../../src/extension/deployments/revision-numbers.ts';
import { MoreElement } from '../../src/extension/views/more.ts';
import {
  PlatformDeploymentElement,
  RevisionElement,
} from '../../src/extension/views/platform-deployments.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { revisionsPeer } from '../support/revisions-peer.ts';

const TIME = '2026-01-01T00:00:00Z';

describe('a deployment with more than a hundred revisions', () => {
  const log = vscode.window.createOutputChannel('roll back', { log: true });
  const { showWarningMessage } = vscode.window;
  after(() => log.dispose());
  afterEach(() => Object.assign(vscode.window, { showWarningMessage }));

  const failed = Array<string>(120).fill('BUILD_FAILED');
  const statuses = ['DEPLOYED', ...failed, 'DEPLOYED', 'DEPLOYED'];
  const revisions = statuses.map((status, n) => ({ id: `${n}`, status }));

  function rowOf(peer: { readonly url: string }) {
    const connection = new LocalConnection({
      ...{ version: '0', serverPath: '', dataDirectory: () => '', log },
      ...{ stateEmitter: new vscode.EventEmitter(), changeEmitter: new vscode.EventEmitter() },
    });
    return new PlatformDeploymentElement(
      {
        ...{ id: 'docs', name: 'docs', tenant_id: '', source: 'workspace', status: 'READY', secrets: [] },
        ...{ source_config: {}, source_revision_config: {}, created_at: TIME, updated_at: TIME },
        ...{ latest_revision_id: '0', active_revision_id: '0' },
      },
      undefined,
      { isCurrent: false, isHarbor: true },
      clientOf({ baseUrl: peer.url, apiKey: 'none' }, createDispatcher()),
      {
        ...{ id: 'local', connection, revisions: { shown: new Map(), numbers: new RevisionNumbers() } },
        getTreeItem: () => new vscode.TreeItem('Local'),
      },
    );
  }

  it('is rolled back to the deployed revision before the live one', async () => {
    await using peer = await revisionsPeer(revisions);
    const asked: unknown[] = [];
    const stub = async (question: string, { detail }: vscode.MessageOptions) => {
      asked.push(question, detail);
    };
    Object.assign(vscode.window, { showWarningMessage: stub });
    await rollBack({ deploying: () => assert.fail('It was not confirmed.') }, rowOf(peer));
    assert.equal(asked[0], 'Roll back docs on Local?');
    assert.match(String(asked[1]), /^Creates a new revision from the source and variables of revision 2 /);
  });

  it('shows all of them after enough Load More', async () => {
    await using peer = await revisionsPeer(revisions);
    const row = rowOf(peer);
    const counts: number[] = [];
    for (;;) {
      const rows = await row.getChildren();
      counts.push(rows.filter((one) => one instanceof RevisionElement).length);
      const more = rows.at(-1);
      if (!(more instanceof MoreElement)) break;
      more.load();
    }
    assert.deepEqual(counts, [20, 40, 80, 123]);
  });
});
