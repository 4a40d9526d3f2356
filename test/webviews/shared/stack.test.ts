import assert from 'node:assert/strict';
import { partsOfError } from '../../../src/terms/error-text.ts';
import { innermostPlace, stackSections } from '../../../src/webviews/shared/stack.ts';

/** The sections that would be folded, and those that stay. */
function sections(text: string): string[] {
  return stackSections(text).map(({ isFramework, frames, text: part }) =>
    isFramework ? `${frames} folded` : part,
  );
}

describe('the stack of an error', () => {
  it('folds the frames of packages and of Node', () => {
    const own = 'RangeError: sunk\n    at leak (/home/ada/sink.mjs:5:9)';
    const text = `${own}
    at <anonymous> (/home/ada/node_modules/@langchain/langgraph/utils.js:1:2)
    at AsyncLocalStorage.run (node:async_hooks:346:14)
    at main (/home/ada/main.mjs:1:1)`;
    assert.deepEqual(sections(text), [own, '2 folded', '    at main (/home/ada/main.mjs:1:1)']);
  });

  it('folds the frames of the runtimes that load the graphs', () => {
    const own = 'Error: no\n    at plan (/home/ada/graph.ts:5:9)';
    const text = `${own}
    at withSpan (/home/ada/.vscode/extensions/agent-harbor-0.2.0/dist/runtime-node.js:4879:22)
    at read (C:\\agent-harbor\\dist\\runtime-node-schemas.js:3:2)
  File "/opt/agent-harbor/dist/runtime-python/agent_harbor_runtime/start.py", line 12, in run
    await graph.ainvoke(input)
    at mine (/home/ada/src/runtime-node/mine.ts:1:1)`;
    assert.deepEqual(sections(text), [
      own,
      '3 folded',
      '    at mine (/home/ada/src/runtime-node/mine.ts:1:1)',
    ]);
  });

  it('folds frames of Python with their source lines, and shows a cause', () => {
    const text = `ValueError: no price

Traceback (most recent call last):
  File "/home/ada/agent.py", line 3, in price
    return prices[key]
KeyError: 'A-17'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/home/ada/.venv/lib/python3.12/site-packages/langgraph/pregel/main.py", line 1, in invoke
    for chunk in self.stream(
  File "/home/ada/.venv/lib/python3.12/site-packages/langgraph/pregel/loop.py", line 2, in tick
    raise
  File "/home/ada/agent.py", line 9, in answer
    raise ValueError("no price") from error`;
    const [before, folded, after] = sections(text);
    assert.match(before ?? '', /KeyError: 'A-17'[\s\S]*direct cause/);
    assert.equal(folded, '2 folded');
    assert.match(after ?? '', /^ {2}File "\/home\/ada\/agent\.py", line 9/);
  });

  it('reads what the tracer of Python writes: no space before the stack, empty lines within it', () => {
    // From a run of a graph, with shorter paths.
    const error = `KeyError(17)Traceback (most recent call last):


  File "/a/.venv/lib/python3.13/site-packages/langgraph/pregel/_runner.py", line 705, in astream
    input = await asyncio.create_task(
            ^^^^^^^^^^^^^^^^^^^^^^^^^^


  File "/a/.venv/lib/python3.13/site-packages/langgraph/_internal/_runnable.py", line 475, in ainvoke
    ret = await self.afunc(*args, **kwargs)


  File "/a/src/agent/graph.py", line 25, in call_model
    return {"messages": [pages[17]]}


KeyError: 17`;
    const { message, stack } = partsOfError(error);
    assert.equal(message, 'KeyError(17)');
    assert.deepEqual(sections(stack), [
      'Traceback (most recent call last):',
      '2 folded',
      '  File "/a/src/agent/graph.py", line 25, in call_model\n    return {"messages": [pages[17]]}\nKeyError: 17',
    ]);
    assert.deepEqual(innermostPlace(error), { file: '/a/src/agent/graph.py', line: 25 });
  });
});
