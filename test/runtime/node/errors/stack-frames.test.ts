import assert from 'node:assert/strict';
import { firstUserFrame, fromUserCode, toPath } from '../../../../src/runtime/node/errors/stack-frames.ts';

const stack = (...frames: readonly string[]) =>
  ['Error: There is no key', ...frames.map((frame) => `    at ${frame}`)].join('\n');

describe('the frames of an error', () => {
  for (const [frame, file] of [
    ['f (file:///C:/Users/ada/graph.js:33:32)', 'C:\\Users\\ada\\graph.js'],
    ['file:///C:/agent/graph.js:33:32', 'C:\\agent\\graph.js'],
    ['async g (file:///c:/Test%20Gr%C3%B6%C3%9Fe/graph.ts:33:32)', 'c:\\Test Größe\\graph.ts'],
    ['f (C:\\Program Files (x86)\\agent\\graph.cjs:33:32)', 'C:\\Program Files (x86)\\agent\\graph.cjs'],
    ['new Agent (\\\\server\\share\\graph.cjs:33:32)', '\\\\server\\share\\graph.cjs'],
  ] as const)
    it(`name a place on Windows: ${frame}`, () => {
      assert.deepEqual(firstUserFrame(stack(frame), true), { file, line: 33, column: 32 });
    });

  for (const [frame, file] of [
    ['f (file:///home/ada/graph.js:33:32)', '/home/ada/graph.js'],
    ['async file:///home/ada/my%20agent/graph.js:33:32', '/home/ada/my agent/graph.js'],
    ['f (/home/ada/agent (1)/graph.cjs:33:32)', '/home/ada/agent (1)/graph.cjs'],
    ['Object.run [as (anonymous)] (/home/ada/graph.cjs:33:32)', '/home/ada/graph.cjs'],
  ] as const)
    it(`name a place elsewhere: ${frame}`, () => {
      assert.deepEqual(firstUserFrame(stack(frame), false), { file, line: 33, column: 32 });
    });

  it('are skipped in packages and in Node', () => {
    const own = 'main (file:///C:/agent/graph.js:1:2)';
    const text = stack(
      'call (file:///C:/agent/node_modules/pg/index.js:1:2)',
      'call (C:\\agent\\node_modules\\pg\\index.js:1:2)',
      'run (node:async_hooks:346:14)',
      own,
      'Module.load (node:internal/modules/cjs/loader:1:2)',
    );
    assert.deepEqual(firstUserFrame(text, true), { file: 'C:\\agent\\graph.js', line: 1, column: 2 });
    assert.ok(fromUserCode(text, true).endsWith(own));
  });

  it('have no place that is not absolute, or on another system', () => {
    assert.equal(firstUserFrame(stack('f (graph.js:1:2)', '<anonymous>:3:4'), false), undefined);
    assert.equal(toPath('C:\\agent\\graph.js', false), undefined);
    assert.equal(toPath('data:text/javascript,1', true), undefined);
  });
});
