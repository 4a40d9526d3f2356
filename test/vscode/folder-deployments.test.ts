import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import type { Change } from '../../src/contract/harbor.ts';
import type { ConnectionState } from '../../src/extension/connections/connection.ts';
import { FolderConfigs } from '../../src/extension/deployments/configs.ts';
import { FolderDeployments } from '../../src/extension/deployments/folder-deployments.ts';
import { PythonInterpreters } from '../../src/extension/deployments/python-interpreter.ts';
import { ErrorReporter } from '../../src/extension/dialogs/errors.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { eventually } from '../support/wait.ts';

describe('a search for langgraph.json files that fails', () => {
  const { findFiles } = vscode.workspace;
  beforeEach(() => {
    const fail = () => Promise.reject(new Error('The search failed.'));
    Object.assign(vscode.workspace, { findFiles: fail });
  });
  afterEach(() => {
    Object.assign(vscode.workspace, { findFiles });
  });

  it('is repeated the next time', async () => {
    const configs = new FolderConfigs();
    try {
      await assert.rejects(configs.list(), /The search failed/);
      Object.assign(vscode.workspace, { findFiles });
      assert.ok((await configs.list()).length > 0);
    } finally {
      configs.dispose();
    }
  });

  it('is logged when deployments are opened or updated, instead of staying unhandled', async () => {
    const logged: string[] = [];
    const log = { error: (line: string | Error) => logged.push(String(line)), debug: () => {} };
    const states = new vscode.EventEmitter<ConnectionState>();
    const changes = new vscode.EventEmitter<readonly Change[]>();
    const client = clientOf({ baseUrl: 'http://127.0.0.1:1', apiKey: 'none' }, createDispatcher());
    const state: ConnectionState = { status: 'ready', client };
    const configs = new FolderConfigs();
    const errors = new ErrorReporter({ log, window: vscode.window, commands: vscode.commands });
    const interpreters = new PythonInterpreters(errors);
    const memento = { keys: () => [], get: () => undefined, update: () => Promise.resolve() };
    const deployments = new FolderDeployments({
      configs,
      interpreters,
      memento,
      errors,
      connection: {
        id: 'local',
        label: 'Local',
        place: 'local',
        isAgentServerOnly: false,
        hasKey: false,
        state,
        onDidChangeState: states.event,
        onDidChange: changes.event,
        connect: () => Promise.resolve(client),
        stop: () => Promise.resolve(),
        dispose: () => {},
      },
    });
    try {
      states.fire(state);
      await eventually('the first error', () => logged.length === 1);
      changes.fire([{ resource: 'deployment', id: 'some', action: 'updated' }]);
      await eventually('the second error', () => logged.length === 2);
      for (const line of logged) assert.match(line, /The search failed/);
    } finally {
      for (const part of [deployments, interpreters, configs, states, changes]) part.dispose();
    }
  });
});
