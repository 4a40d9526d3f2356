import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { askForPlan } from '../../src/extension/deploy/deploy-wizard.ts';

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
});
