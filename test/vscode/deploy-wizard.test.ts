import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { deployAgain } from '../../src/extension/commands/deployments/deploy-again.ts';
import { buildImage } from '../../src/extension/commands/projects/build-image.ts';
import { askForPlan } from '../../src/extension/deploy/deploy-wizard.ts';
import { ReadOnlyDocuments } from '../../src/extension/documents/read-only-documents.ts';

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
