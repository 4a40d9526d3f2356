import assert from 'node:assert/strict';
import { errorPlace, errorStackLines, ownStackLines } from '../../src/client/error-frames.ts';
import { recordedErrors } from '../support/recorded-errors.ts';

const javaScript = `no such port

TypeError: no such port
    at assertPort (/home/ada/travel/node_modules/ports/index.js:7:3)
    at RunnableCallable.approve [as func] (file:///home/ada/travel/src/graph.ts:33:32)
    at async /home/ada/travel/src/other.ts:1:2
    at AsyncLocalStorage.run (node:async_hooks:346:14)
    at async _runWithRetry (/home/ada/travel/node_modules/@langchain/langgraph/dist/pregel/retry.js:127:18)`;

const python = `ValueError('no wind')Traceback (most recent call last):


  File "/home/ada/sail/.venv/lib/python3.12/site-packages/langgraph/pregel/main.py", line 2646, in stream
    for _ in runner.tick(


  File "/home/ada/sail/src/agent/graph.py", line 11, in plan
    return look(state)
           ^^^^^^^^^^^


  File "/home/ada/sail/src/agent/tools.py", line 4, in look
    return json.loads(state)


  File "/usr/lib/python3.12/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)


ValueError: no wind`;

describe('the text of an error', () => {
  it('names the frame of the project that is nearest to where the error was thrown', () => {
    const approve = { file: '/home/ada/travel/src/graph.ts', line: 33, column: 32, name: 'approve' };
    assert.deepEqual(errorPlace(javaScript), approve);
    assert.deepEqual(errorPlace(python), {
      file: '/home/ada/sail/src/agent/tools.py',
      line: 4,
      name: 'look',
    });
    for (const place of ['C:\\agents\\graph.ts', 'file:///C:/agents/graph.ts'])
      assert.deepEqual(errorPlace(`x\n\nError: x\n    at ${place}:3:7`), {
        file: 'C:\\agents\\graph.ts',
        line: 3,
        column: 7,
      });
    assert.equal(errorPlace('x\n\nError: x\n    at run (node:internal/a:1:2)'), undefined);
  });

  it('names the frame of an exception in a group', () => {
    const group = recordedErrors().find(
      ({ way, language }) => language === 'python' && way === 'several errors',
    );
    const place = errorPlace(group?.error ?? '');
    assert.deepEqual(place, { file: '/home/ada/project/failing.py', line: 62, name: 'leg' });
  });

  it('has its stack below it, whole', () => {
    assert.equal(errorStackLines(javaScript).length, 5);
    assert.equal(errorStackLines(python).at(-1), 'ValueError: no wind');
    assert.deepEqual(errorStackLines('nothing else'), []);
  });

  it('has a stack without frames of libraries, which are counted, and with the sentence at its end', () => {
    const library = (n: number) => [
      `  File "/v/lib/python3.11/site-packages/pydantic_ai/graph.py", line ${n}, in run`,
      '    return await node.run()',
      '           ^^^^^^^^^^^^^^^^',
    ];
    const stack = [
      'Traceback (most recent call last):',
      '  File "/home/me/agent.py", line 3, in answer',
      '    agent.run_sync(question)',
      ...[1, 2, 3].flatMap(library),
      'ValueError: no such model',
      '',
      'During handling of the above exception, another exception occurred:',
      '',
      'Traceback (most recent call last):',
      ...library(4),
      'RuntimeError: gave up',
    ];
    assert.deepEqual(ownStackLines(`RuntimeError('gave up')${stack.join('\n')}`), [
      ...stack.slice(0, 3),
      '  … 3 library frames',
      ...stack.slice(12, 17),
      '  … 1 library frame',
      'RuntimeError: gave up',
    ]);
    const script =
      'no\n\nError: no\n    at f (/home/me/a.ts:3:7)\n    at g (/home/me/node_modules/x/i.js:1:1)\n    at node:internal/x:1:1';
    assert.deepEqual(ownStackLines(script), ['    at f (/home/me/a.ts:3:7)', '  … 2 library frames']);
  });
});
