import assert from 'node:assert/strict';
import { isInside, samePath } from '../../src/project/paths.ts';

describe('paths', () => {
  it('are the same on Windows in any case and with any slashes', () => {
    assert.ok(samePath('C:\\agent\\langgraph.json', 'c:\\agent\\langgraph.json', 'win32'));
    assert.ok(samePath('C:\\Agent\\langgraph.json', 'c:/agent/langgraph.json', 'win32'));
    assert.ok(!samePath('C:\\agent\\langgraph.json', 'D:\\agent\\langgraph.json', 'win32'));
    assert.ok(!samePath('C:\\agent', 'C:\\agent-2', 'win32'));
  });

  it('are the same elsewhere when they are spelled alike', () => {
    assert.ok(samePath('/a/agent', '/a/b/../agent', 'linux'));
    assert.ok(!samePath('/a/agent', '/a/Agent', 'linux'));
  });

  it('are in a folder when they are below it', () => {
    assert.ok(isInside('c:\\agent', 'C:\\agent\\src\\graph.py', 'win32'));
    assert.ok(isInside('\\\\server\\share', '\\\\SERVER\\share\\a', 'win32'));
    assert.ok(isInside('/a/agent', '/a/agent/graph.py', 'linux'));
    assert.ok(isInside('/', '/a', 'linux'));
    assert.ok(isInside('/a', '/a/..b', 'linux'));
  });

  it('are not in a folder that is the same, beside, above or on another drive', () => {
    assert.ok(!isInside('/a/agent', '/a/agent', 'linux'));
    assert.ok(!isInside('/a/agent', '/a/agent-2/graph.py', 'linux'));
    assert.ok(!isInside('/a/agent', '/a', 'linux'));
    assert.ok(!isInside('c:\\agent', 'C:\\agent-2\\graph.py', 'win32'));
    assert.ok(!isInside('c:\\agent', 'D:\\agent\\graph.py', 'win32'));
    assert.ok(!isInside('/a/agent', '/A/agent/graph.py', 'linux'));
  });
});
