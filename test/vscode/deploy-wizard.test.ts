import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { deployAgain } from '../../src/extension/commands/deployments/deploy-again.ts';
import { buildImage } from '../../src/extension/commands/projects/build-image.ts';
import { LocalConnection } from '../../src/extension/connections/local.ts';
import { askForPlan } from '../../src/extension/deploy/deploy-wizard.ts';
import { chooseSource } from '../../src/extension/deploy/questions/choose-source.ts';
import type { DeployDraft } from '../../src/extension/deploy/questions/question.ts';
import { ReadOnlyDocuments } from '../../src/extension/documents/read-only-documents.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { readGitState } from '../../src/project/git-state.ts';

describe('the deployment of a chosen project', () => {
  const options = {
    configs: [{ uri: vscode.Uri.file(path.resolve('first/langgraph.json')), name: 'first' }],
    connections: [],
    records: false,
    lastPlan: () => undefined,
    connect: () => assert.fail('Nothing is asked of a platform.'),
  };

  it('never becomes that of another project or platform, when the chosen one is not there', async () => {
    const configPath = path.resolve('first/build/langgraph.json');
    await assert.rejects(askForPlan({ ...options, preset: { configPath } }), {
      message: `There is no ${configPath} in the open folder.`,
    });
    await assert.rejects(askForPlan({ ...options, preset: { connectionId: 'gone' } }), {
      message: 'This connection has been removed.',
    });
  });

  it('never becomes the last one, when VS Code passes no row', async () => {
    const parts = { deploying: () => assert.fail('Nothing is deployed.') };
    await assert.rejects(async () => deployAgain(parts, undefined, undefined), /The view was refreshing/);
  });
});

describe('the sources of a deployment', () => {
  const log = vscode.window.createOutputChannel('sources', { log: true });
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-sources-'));
  });
  after(async () => {
    log.dispose();
    await rm(folder, { recursive: true });
  });

  it('are not an empty list, when git lists no branches of the repository that it has', async () => {
    const client = clientOf({ baseUrl: 'http://127.0.0.1:1', apiKey: 'none' }, createDispatcher());
    const connection = new LocalConnection({
      ...{ version: '0', serverPath: '', dataDirectory: () => '', log },
      stateEmitter: new vscode.EventEmitter(),
      changeEmitter: new vscode.EventEmitter(),
    });
    const uri = vscode.Uri.file(path.join(folder, 'langgraph.json'));
    const draft: DeployDraft = {
      ...{ config: { uri, name: 'agents' }, connection, state: await readGitState(uri.fsPath) },
      target: {
        ...{ id: 'agents', name: 'agents', tenant_id: '', source: 'github', status: 'READY', secrets: [] },
        ...{ source_config: { repo_url: 'https://github.com/octo/agents' }, source_revision_config: {} },
        ...{ created_at: '', updated_at: '', latest_revision_id: '0', active_revision_id: '0' },
      },
      ...{ existing: [], secrets: undefined, name: 'agents', type: undefined, variables: undefined },
      source: { kind: 'folder' },
    };
    const options = {
      ...{ configs: [], connections: [], records: false, preset: {} },
      ...{ lastPlan: () => undefined, connect: async () => client },
    };
    await assert.rejects(
      chooseSource.ask(draft, options, { title: 'Deploy', canGoBack: false }),
      /not a git repository/,
    );
  });
});

describe('the image of a chosen project', () => {
  it('is never that of another project, when the chosen one is not there', async () => {
    const parts = {
      configs: {
        list: async () => [{ uri: vscode.Uri.file(path.resolve('first/langgraph.json')), name: 'first' }],
      },
      documents: new ReadOnlyDocuments(async () => ''),
      ...{ bundles: '', version: '0' },
    };
    const chosen = vscode.Uri.file(path.resolve('first/build/langgraph.json'));
    await assert.rejects(async () => buildImage(parts, chosen), {
      message: `There is no ${chosen.fsPath} in the open folder.`,
    });
  });
});
