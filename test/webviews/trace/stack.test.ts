import assert from 'node:assert/strict';
import { stackParts } from '../../../src/webviews/shared/stack.ts';

describe("an error's stack", () => {
  const places = (text: string) => stackParts(text).flatMap(({ place }) => (place ? [place] : []));

  it('names places in JavaScript and Python', () => {
    assert.deepEqual(
      places('Error: no\n    at plan (/app/src/graph.ts:12:7)\n    at file:///app/src/run.ts:3:1'),
      [
        { file: '/app/src/graph.ts', line: 12, column: 7 },
        { file: '/app/src/run.ts', line: 3, column: 1 },
      ],
    );
    assert.deepEqual(places('Traceback (most recent call last):\n  File "/app/graph.py", line 9, in plan'), [
      { file: '/app/graph.py', line: 9 },
    ]);
    assert.deepEqual(places('at plan (C:\\app\\graph.ts:12:7)'), [
      { file: 'C:\\app\\graph.ts', line: 12, column: 7 },
    ]);
  });

  it('names places in folders with spaces, parentheses and other letters, and on drives', () => {
    const frames = [
      'at f (C:\\Users\\Test Größe\\My agent (1)\\graph.js:3:2)',
      'at async g (file:///C:/Users/Test%20Gr%C3%B6%C3%9Fe/agent/graph.js:33:32)',
      'at file:///C:/agent/throws.mjs:1:7',
      'at async file:///home/ada/my%20agent/graph.ts:4:5',
      'at Object.invoke [as run] (/home/ada/agent (1)/graph.ts:6:7)',
    ];
    assert.deepEqual(places(`Error: no\n    ${frames.join('\n    ')}`), [
      { file: 'C:\\Users\\Test Größe\\My agent (1)\\graph.js', line: 3, column: 2 },
      { file: 'C:\\Users\\Test Größe\\agent\\graph.js', line: 33, column: 32 },
      { file: 'C:\\agent\\throws.mjs', line: 1, column: 7 },
      { file: '/home/ada/my agent/graph.ts', line: 4, column: 5 },
      { file: '/home/ada/agent (1)/graph.ts', line: 6, column: 7 },
    ]);
  });

  it('keeps every character of its text', () => {
    const text = 'Error: a\n    at x (/app/a.ts:1:2)\n    at node:internal/process:95:5\nend';
    assert.equal(
      stackParts(text)
        .map((part) => part.text)
        .join(''),
      text,
    );
  });

  it('has no links into packages, or to paths without a line', () => {
    assert.deepEqual(
      places(
        'at g (/ext/dist/runtime-node.js:4879:1)\nat f (/app/node_modules/x/index.js:1:2)\nFile "/usr/lib/site-packages/x.py", line 3',
      ),
      [],
    );
    assert.deepEqual(places('see https://example.org/a:1 and /etc/passwd'), []);
  });

  it('has paths relative to the open folder, and links with absolute ones', () => {
    const folders = [{ name: 'agent', path: '/home/ada/my agent' }];
    const text = `Error: no
    at plan (/home/ada/my agent/src/graph.ts:12:7)
    at async file:///home/ada/my%20agent/run.ts:3:1
    at invoke (/home/ada/my agent/node_modules/x/index.js:1:2)
    at other (/home/ada/my agents/other.ts:1:2)
  File "/home/ada/my agent/nodes.py", line 9, in plan`;
    const parts = stackParts(text, folders);
    assert.equal(
      parts.map((part) => part.text).join(''),
      `Error: no
    at plan (src/graph.ts:12:7)
    at async run.ts:3:1
    at invoke (node_modules/x/index.js:1:2)
    at other (/home/ada/my agents/other.ts:1:2)
  File "nodes.py", line 9, in plan`,
    );
    assert.deepEqual(
      parts.flatMap(({ place }) => (place ? [place.file] : [])),
      [
        '/home/ada/my agent/src/graph.ts',
        '/home/ada/my agent/run.ts',
        '/home/ada/my agents/other.ts',
        '/home/ada/my agent/nodes.py',
      ],
    );
  });

  it('names the folder if several are open, and finds folders of Windows however their drive is written', () => {
    const folders = [
      { name: 'work', path: 'c:\\work' },
      { name: 'agent', path: 'c:\\work\\agent' },
    ];
    const shown = (text: string) =>
      stackParts(text, folders)
        .map((part) => part.text)
        .join('');
    assert.equal(shown('at plan (C:\\work\\agent\\graph.ts:12:7)'), 'at plan (agent\\graph.ts:12:7)');
    assert.equal(shown('at plan (C:\\work\\graph.ts:12:7)'), 'at plan (work\\graph.ts:12:7)');
    assert.equal(shown('at plan (C:\\other\\graph.ts:12:7)'), 'at plan (C:\\other\\graph.ts:12:7)');
  });
});
