import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { GraphStatus, LiveDeployment } from '../../src/contract/harbor.ts';
import { GraphElement } from '../../src/extension/views/deployments.ts';
import { FailedElement } from '../../src/extension/views/failed.ts';

describe('a row with an error', () => {
  const uri = vscode.Uri.file('/docs/langgraph.json');
  const graph: GraphStatus = {
    status: 'failed',
    graph_id: 'agent',
    error: {
      name: 'SyntaxError',
      message: '/docs/src/agent.ts: Unexpected token\n  7 | const = 1',
      location: { file: '/docs/src/agent.ts', line: 7, column: 3 },
    },
  };
  const live: LiveDeployment = {
    ...{ deployment_id: 'd', name: 'docs', config_path: uri.fsPath, deployment_url: 'http://127.0.0.1:1' },
    runtime: { state: 'stopped' },
  };
  const parent = {
    ...{ id: 'deployment:docs', config: { uri, name: 'docs' }, lacksPackages: false },
    getTreeItem: () => new vscode.TreeItem('docs'),
  };

  it('of a graph has the whole error in its tooltip, and leads to its place', () => {
    const item = new GraphElement(graph, live, parent).getTreeItem();
    assert.equal(item.tooltip, `SyntaxError: ${graph.error.message}`);
    assert.equal(item.description, 'src/agent.ts: Unexpected token\n  7 | const = 1');
    const [file, options] = item.command?.arguments ?? [];
    assert.deepEqual(
      [item.command?.command, String(file), options.selection.start.line, options.selection.start.character],
      ['vscode.open', String(vscode.Uri.file('/docs/src/agent.ts')), 6, 2],
    );
  });

  it('that stands for rows that could not be read has the message in its tooltip, and leads to the log', () => {
    const message = 'https://agents.example.com did not answer GET /threads within 30 s.';
    const item = new FailedElement(undefined, new Error(message)).getTreeItem();
    assert.deepEqual(
      [item.label, item.tooltip, item.command?.command],
      [message, message, 'agentHarbor.showLog'],
    );
  });
});
