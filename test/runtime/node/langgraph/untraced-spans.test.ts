import assert from 'node:assert/strict';
import { getContextVariable, setContextVariable } from '@langchain/core/context';
import * as singletons from '@langchain/core/singletons';
import { Annotation, END, getConfig, START, StateGraph } from '@langchain/langgraph';
import type { RunTree } from 'langsmith';
import { getCurrentRunTree, traceable } from 'langsmith/traceable';
import { deferUntracedSpans } from '../../../../src/runtime/node/langgraph/untraced-spans.ts';

const State = Annotation.Root({ value: Annotation<number> });

/** Runs a graph of one node. @returns what the node returned. */
async function within<Result>(work: () => Result): Promise<Result> {
  const results: Result[] = [];
  const graph = new StateGraph(State)
    .addNode('only', () => {
      results.push(work());
      return { value: 1 };
    })
    .addEdge(START, 'only')
    .addEdge('only', END)
    .compile();
  await graph.invoke({ value: 0 }, { configurable: { thread_id: 'here' } });
  const [result] = results;
  assert.ok(result !== undefined);
  return result;
}

/** LangChain may have its own copy of LangSmith. */
async function spanClass(): Promise<typeof RunTree> {
  return Object.getPrototypeOf(Object.getPrototypeOf(await within(() => getCurrentRunTree()))).constructor;
}

/** @returns how many spans LangSmith makes meanwhile. */
async function countSpans(work: () => Promise<unknown>): Promise<number> {
  const Span = await spanClass();
  // Every new span calls it first.
  const name = 'getDefaultConfig';
  const make: () => object = Reflect.get(Span, name);
  let count = 0;
  const counting = () => {
    count++;
    return make.call(Span);
  };
  Reflect.set(Span, name, counting);
  try {
    await work();
  } finally {
    Reflect.set(Span, name, make);
  }
  return count;
}

describe('a run that is not traced', () => {
  before(() => deferUntracedSpans(singletons));

  it('creates no span that is never used', async () => {
    await within(() => getCurrentRunTree().id);
    assert.equal(await countSpans(() => within(() => 1)), 0);
    assert.equal(await countSpans(() => within(() => getCurrentRunTree().id)), 1);
  });

  it('gives its nodes their config', async () => {
    assert.equal((await within(getConfig)).configurable?.thread_id, 'here');
  });

  it('gives each node its own complete span', async () => {
    const [one, other] = [await within(() => getCurrentRunTree()), await within(() => getCurrentRunTree())];
    const Span = await spanClass();
    const made = new Span({ name: 'made', tracingEnabled: false });
    assert.match(one.id, /^[\da-f-]{36}$/);
    assert.equal(one.trace_id, one.id);
    assert.ok(one.dotted_order?.endsWith(`Z${one.id}`));
    assert.notEqual(one.id, other.id);
    assert.equal(one.tracingEnabled, false);
    assert.deepEqual(Object.keys(one).sort(), Object.keys(made).sort());
  });

  it('has spans that can be copied, changed and continued', async () => {
    const Span = await spanClass();
    const [span, copied, changed, child] = await within(() => {
      const span = getCurrentRunTree();
      const changed = Object.create(span);
      changed.name = 'changed';
      return [span, new Span(span), changed, span.createChild({ name: 'child' })];
    });
    assert.equal(copied.name, '<runnable_lambda>');
    assert.equal(copied.trace_id, copied.id);
    assert.equal(changed.name, 'changed');
    assert.equal(child.parent_run, span);
    assert.ok(child.dotted_order?.startsWith(`${span.dotted_order}.`));
    assert.equal(copied.id, span.id);
    assert.equal(child.tracingEnabled, false);
  });

  it('calls traceable functions and keeps context variables', async () => {
    const add = traceable((a: number, b: number) => a + b, { name: 'add' });
    assert.equal(await within(() => add(1, 2)), 3);
    const storage = singletons.AsyncLocalStorageProviderSingleton;
    const seen = await within(() => {
      setContextVariable('name', 'value');
      const inner = () => [getContextVariable('name'), storage.getRunnableConfig()];
      return [getConfig().configurable?.thread_id, ...storage.runWithConfig({ tags: ['inner'] }, inner)];
    });
    assert.deepEqual(seen, ['here', 'value', { tags: ['inner'] }]);
  });
});
