import assert from 'node:assert/strict';
import { errorPlace } from '../../src/client/error-frames.ts';
import { frameOf, isFramework } from '../../src/terms/stack-frames.ts';
import { innermostPlace, stackSections } from '../../src/webviews/shared/stack.ts';

describe('a frame of a stack', () => {
  it('has its file in any folder, its function and its line', () => {
    const frames = {
      '    at async RunnableCallable.approve [as func] (file:///a/my%20agent/b%20(1).ts:3:7)': {
        file: '/a/my agent/b (1).ts',
        line: 3,
        column: 7,
        name: 'approve',
      },
      '    at /a/agent (1)/b.ts:3:7': { file: '/a/agent (1)/b.ts', line: 3, column: 7 },
      '    at new Port (C:\\my agent (1)\\b.js:3:7)': {
        file: 'C:\\my agent (1)\\b.js',
        line: 3,
        column: 7,
        name: 'Port',
      },
      '    at file:///C:/agent/b.js:3:7': { file: 'C:\\agent\\b.js', line: 3, column: 7 },
      '  File "/a/my agent/b.py", line 3, in plan': { file: '/a/my agent/b.py', line: 3, name: 'plan' },
      '  File "/a/b.py", line 3, in <module>': { file: '/a/b.py', line: 3 },
    };
    for (const [line, frame] of Object.entries(frames)) assert.deepEqual(frameOf(line), frame, line);
    assert.equal(frameOf('    at Array.map (<anonymous>)'), undefined);
    assert.equal(frameOf('see /a/b.ts:3:7'), undefined);
  });

  it("is the user's own, or not, in panels and in the terminal alike", () => {
    const own = [
      '    at <anonymous> (/home/ada/graph.ts:3:7)',
      '    at f (/home/ada/my agent (1)/graph.ts:3:7)',
      '    at f (C:\\ada\\graph.js:3:7)',
      '    at f (file:///home/ada/lib/graph.js:3:7)',
    ];
    const others = [
      '    at f (/home/ada/node_modules/x/i.js:3:7)',
      '    at f (node:internal/process:3:7)',
      '    at f (/opt/agent-harbor/dist/runtime-node.js:3:7)',
      '    at Array.map (<anonymous>)',
      '  File "/usr/lib/python3.12/json/decoder.py", line 3, in decode',
      '  File "C:\\Python312\\Lib\\json\\decoder.py", line 3, in decode',
      '  File "<frozen importlib._bootstrap>", line 3, in load',
      '  File "/opt/agent_harbor_runtime/start.py", line 3, in run',
    ];
    for (const [lines, isOwn] of [
      [own, true],
      [others, false],
    ] as const)
      for (const line of lines) {
        const error = `no\n\nError: no\n${line}`;
        assert.equal(isFramework(line), !isOwn, line);
        assert.equal(errorPlace(error) !== undefined, isOwn, line);
        assert.equal(innermostPlace(error) !== undefined, isOwn, line);
        assert.equal(stackSections(line)[0]?.isFramework, !isOwn, line);
      }
  });
});
