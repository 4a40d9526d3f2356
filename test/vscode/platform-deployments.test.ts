import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { showDeploymentLog } from '../../src/extension/commands/deployments/show-deployment-log.ts';
import type { PlatformConnection } from '../../src/extension/connections/connection.ts';
import { LocalConnection } from '../../src/extension/connections/local.ts';
import { RemoteConnection } from '../../src/extension/connections/remote.ts';
import { keyOnPlatform } from '../../src/extension/deployments/deployment-key.ts';
import { RevisionNumbers } from '../../src/extension/deployments/revision-numbers.ts';
import { PlatformDeploymentElement } from '../../src/extension/views/platform-deployments.ts';
import { clientOf } from '../../src/launcher/client-of.ts';

const TIME = '2026-01-01T00:00:00Z';
const FOLDER = path.resolve('agents');

describe('the log of a deployment', () => {
  it('is refused for an agent server, which has none', async () => {
    const connection = new RemoteConnection({
      stored: { id: 'agents', label: 'Agents', kind: 'agent-server', url: 'https://agents.example.com' },
      ...{ credentials: async () => ({}), network: () => ({}), isWatched: () => false, log: () => {} },
      ...{ stateEmitter: new vscode.EventEmitter(), changeEmitter: new vscode.EventEmitter() },
    });
    const key = keyOnPlatform(connection.id, undefined);
    const open = () => assert.fail('No folder is opened.');
    const show = () => assert.fail('No log is shown.');
    const parts = {
      deployments: {
        current: async () => ({ in: 'platform' as const, key, name: 'agents', connection }),
        folders: { open },
      },
      ...{ deploymentLogs: { show }, platformLogs: { show } },
    };
    await assert.rejects(async () => showDeploymentLog(parts), {
      message: 'The agent server Agents provides no log.',
    });
  });
});

describe('the row of a deployment that was created from a folder', () => {
  const log = vscode.window.createOutputChannel('platform deployments', { log: true });
  const emitters = () => ({
    stateEmitter: new vscode.EventEmitter<PlatformConnection['state']>(),
    changeEmitter: new vscode.EventEmitter<never>(),
  });
  after(() => log.dispose());

  function rowOn(connection: PlatformConnection) {
    return new PlatformDeploymentElement(
      {
        ...{ id: 'docs', name: 'docs', tenant_id: '', source: 'workspace', status: 'READY', secrets: [] },
        ...{ source_config: { workspace_dir: FOLDER }, created_at: TIME, updated_at: TIME },
        source_revision_config: { platform_config_path: 'langgraph.json' },
        ...{ latest_revision_id: '0', active_revision_id: '0' },
      },
      undefined,
      { isCurrent: false, isHarbor: true },
      clientOf({ baseUrl: 'http://127.0.0.1:9', apiKey: 'none' }, createDispatcher()),
      {
        ...{ id: 'row', connection, revisions: { shown: new Map(), numbers: new RevisionNumbers() } },
        getTreeItem: () => new vscode.TreeItem('Platform'),
      },
    );
  }

  it('opens its langgraph.json if it is on this machine', () => {
    const local = new LocalConnection({
      ...{ version: '0', serverPath: '', dataDirectory: () => '', log },
      ...emitters(),
    });
    const row = rowOn(local);
    assert.equal(row.configPath, path.join(FOLDER, 'langgraph.json'));
    assert.match(row.getTreeItem().contextValue ?? '', /\.config\b/);
  });

  it('offers nothing that needs the folder if the platform is on another machine', () => {
    const remote = new RemoteConnection({
      stored: { id: 'team', label: 'Team', kind: 'self-hosted', url: 'https://agents.example.com' },
      credentials: async () => ({}),
      network: () => ({}),
      isWatched: () => false,
      log: () => {},
      ...emitters(),
    });
    const row = rowOn(remote);
    assert.equal(row.configPath, undefined);
    assert.doesNotMatch(row.getTreeItem().contextValue ?? '', /\.config\b/);
  });
});
