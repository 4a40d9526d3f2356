import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { itemOf } from '../../src/extension/views/row-item.ts';
import { Row } from '../../src/extension/views/rows.ts';

describe('the row of a view', () => {
  const labelOf = (label: string) =>
    itemOf(new Row({ id: label, getTreeItem: () => new vscode.TreeItem(label) })).label;

  it('isolates a right-to-left name from what is beside it', () => {
    assert.equal(labelOf('كيف أحذف؟'), '\u2068كيف أحذف؟\u2069');
    assert.equal(labelOf('מה זה?'), '\u2068מה זה?\u2069');
    assert.equal(labelOf('What is a thread?'), 'What is a thread?');
  });

  it('passes itself to its command, so that the command gets its newest element', () => {
    const element = { id: 'a', getTreeItem: () => item };
    const item = new vscode.TreeItem('a');
    item.command = { command: 'agentHarbor.openTrace', title: 'Open Trace', arguments: [element, 'b'] };
    const row = new Row(element);
    assert.deepEqual(itemOf(row).command?.arguments, [row, 'b']);
  });
});
