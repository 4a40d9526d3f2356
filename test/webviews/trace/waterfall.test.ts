import assert from 'node:assert/strict';
import { type Row, type RowFilter, rowsOf } from '../../../src/webviews/trace/rows.ts';
import { ticksOf } from '../../../src/webviews/trace/ticks.ts';
import { keyAction } from '../../../src/webviews/trace/tree-keys.ts';
import { barOf, neighborOf, nextError, traceOf } from '../../../src/webviews/trace/waterfall.ts';
import { span } from './span.ts';

const all: RowFilter = { folded: new Set(), query: '', onlyErrors: false };
const names = (rows: readonly Row[]) => rows.map(({ node }) => '  '.repeat(node.level - 1) + node.span.name);
const agent = [
  span('agent', undefined, { status: 'error', start: 1000, end: 5000 }),
  span('plan', 'agent', { tokens: 0 }),
  span('model', 'plan', { type: 'llm', tokens: 40, cost: 0.5 }),
  span('search', 'agent', { status: 'error' }),
  span('http', 'search', { status: 'error' }),
  span('parse', 'search', { status: 'error' }),
  span('answer', 'agent', { tokens: 2 }),
];

describe('a waterfall of spans', () => {
  it('is a tree in the order in which spans began', () => {
    assert.deepEqual(names(rowsOf(traceOf(agent), all)), [
      'agent',
      '  plan',
      '    model',
      '  search',
      '    http',
      '    parse',
      '  answer',
    ]);
  });

  it('shows spans right below the root whose parent has not arrived', () => {
    const trace = traceOf([span('agent'), span('late', 'missing'), span('below', 'late')]);
    assert.deepEqual(names(rowsOf(trace, all)), ['agent', '  late', '    below']);
  });

  it('has its earliest span at the top when the root has not arrived', () => {
    const trace = traceOf([span('first', 'missing'), span('second', 'missing')]);
    assert.deepEqual(names(rowsOf(trace, all)), ['first', '  second']);
  });

  it('is empty without spans', () => {
    const trace = traceOf([]);
    assert.equal(trace.root, undefined);
    assert.deepEqual(rowsOf(trace, all), []);
  });

  it('adds tokens and costs up, unless the platform has done so', () => {
    const trace = traceOf(agent);
    assert.deepEqual([trace.root?.tokens, trace.root?.cost], [42, 0.5]);
    const summed = traceOf([
      span('agent', undefined, { tokens: 42 }),
      span('model', 'agent', { tokens: 42 }),
    ]);
    assert.equal(summed.root?.tokens, 42);
  });

  it('covers the time from the first start to the last end', () => {
    const { start, end } = traceOf([
      span('agent', undefined, { start: 1000 }),
      span('late', 'agent', { end: 9000 }),
    ]);
    assert.deepEqual([start, end], [1000, 9000]);
  });

  it('hides the children of a collapsed span', () => {
    const rows = rowsOf(traceOf(agent), { ...all, folded: new Set(['search', 'model']) });
    assert.deepEqual(names(rows), ['agent', '  plan', '    model', '  search', '  answer']);
    assert.deepEqual(
      rows.map(({ isUnfolded }) => isUnfolded),
      [true, true, undefined, false, undefined],
    );
  });

  it('gives each row its place among its siblings', () => {
    const rows = rowsOf(traceOf(agent), all);
    assert.deepEqual(
      rows.map(({ position, siblings }) => `${position}/${siblings}`),
      ['1/1', '1/3', '1/1', '2/3', '1/2', '2/2', '3/3'],
    );
  });

  it('shows found spans with their parents, even collapsed ones', () => {
    const rows = rowsOf(traceOf(agent), { ...all, folded: new Set(['plan']), query: ' MOD ' });
    assert.deepEqual(names(rows), ['agent', '  plan', '    model']);
    assert.deepEqual(
      rows.map(({ matches }) => matches),
      [false, false, true],
    );
    assert.deepEqual(rowsOf(traceOf(agent), { ...all, query: 'nowhere' }), []);
  });

  it('shows only errors when asked to', () => {
    const rows = rowsOf(traceOf(agent), { ...all, onlyErrors: true });
    assert.deepEqual(names(rows), ['agent', '  search', '    http', '    parse']);
  });

  it('handles the maximum number and depth of spans', () => {
    const deep = Array.from({ length: 25_000 }, (_, at) => span(`${at}`, at === 0 ? undefined : `${at - 1}`));
    const trace = traceOf(deep);
    assert.equal(rowsOf(trace, all).length, 25_000);
    assert.equal(trace.nodes.get('24999')?.level, 25_000);
    assert.equal(rowsOf(trace, { ...all, query: '24999' }).length, 25_000);
  });
});

describe('the errors of a trace', () => {
  const failed = (message: string, more = {}) => ({ status: 'error' as const, error: message, ...more });
  const ids = (nodes: readonly { readonly span: { readonly id: string } }[]) =>
    nodes.map((node) => node.span.id);

  it('begin with the failure that ended the run, not with those that were handled before', () => {
    const trace = traceOf([
      span('graph', undefined, failed('no page 17', { end: 5000 })),
      span('fetch', 'graph'),
      span('page 1', 'fetch', failed('unreadable')),
      span('page 2', 'fetch', failed('unreadable')),
      span('list', 'graph', failed('no page 17', { start: 3000, end: 5000 })),
    ]);
    assert.deepEqual(ids(trace.errors), ['list']);
    assert.deepEqual(ids(trace.handled), ['page 1', 'page 2']);
    assert.equal(nextError(trace, 'graph', 1)?.span.id, 'list');
    assert.equal(nextError(trace, 'list', 1)?.span.id, 'page 1');
    assert.equal(nextError(trace, 'list', -1)?.span.id, 'page 2');
  });

  it('begin with the last of several attempts, and with the branch whose failure was passed on', () => {
    const retried = traceOf([
      span('graph', undefined, failed('Error: 503', { end: 5000 })),
      span('first', 'graph', failed('Error: timeout', { end: 2000 })),
      span('second', 'graph', failed('Error: timeout', { end: 4000 })),
    ]);
    assert.deepEqual(ids(retried.errors), ['second', 'first']);
    const parallel = traceOf([
      span('graph', undefined, failed('Error: left')),
      span('left', 'graph', failed('Error: left', { end: 2000 })),
      span('right', 'graph', failed('Error: right', { end: 4000 })),
    ]);
    assert.deepEqual(ids(parallel.errors), ['left', 'right']);
  });

  it('were all handled if the trace succeeded', () => {
    const trace = traceOf([
      span('graph'),
      span('try', 'graph', { status: 'error' }),
      span('http', 'try', { status: 'error' }),
    ]);
    assert.deepEqual(trace.errors, []);
    assert.deepEqual(ids(trace.handled), ['http']);
  });

  it('are not called handled while what they belong to still runs', () => {
    const trace = traceOf([
      span('graph', undefined, { status: 'pending' }),
      span('http', 'graph', { status: 'error' }),
    ]);
    assert.deepEqual(ids(trace.errors), ['http']);
    assert.deepEqual(trace.handled, []);
  });

  it('are the spans where a failure began, not those that passed it on', () => {
    assert.deepEqual(
      traceOf(agent).errors.map((node) => node.span.id),
      ['http', 'parse'],
    );
  });

  it('are visited in both directions, and wrap around', () => {
    const trace = traceOf(agent);
    assert.equal(nextError(trace, 'agent', 1)?.span.id, 'http');
    assert.equal(nextError(trace, 'http', 1)?.span.id, 'parse');
    assert.equal(nextError(trace, 'parse', 1)?.span.id, 'http');
    assert.equal(nextError(trace, 'parse', -1)?.span.id, 'http');
    assert.equal(nextError(trace, 'http', -1)?.span.id, 'parse');
    assert.equal(nextError(traceOf([span('agent')]), 'agent', 1), undefined);
  });

  it('do not count interrupts, which pause the trace', () => {
    const trace = traceOf([span('agent'), span('approve', 'agent', { status: 'interrupted' })]);
    assert.deepEqual(trace.errors, []);
    assert.equal(trace.isPaused, true);
    assert.equal(traceOf(agent).isPaused, false);
  });

  it('do not show the thread of a run file as paused, as it says itself how it ended', () => {
    const interrupt = span('approve', 'agent', { status: 'interrupted' });
    const thread = span('thread', undefined, { type: 'thread' });
    assert.equal(traceOf([thread, span('agent', 'thread'), interrupt]).isPaused, false);
  });
});

describe('the time axis', () => {
  it('has bars in proportion', () => {
    const axis = { start: 1000, end: 5000 };
    assert.deepEqual(barOf(span('a', undefined, { start: 2000, end: 3000 }), axis), {
      left: 0.25,
      width: 0.25,
    });
  });

  it('extends the bars of running spans to its end', () => {
    const { end: _, ...running } = span('a', undefined, { start: 2000, status: 'pending' });
    assert.deepEqual(barOf(running, { start: 1000, end: 5000 }), { left: 0.25, width: 0.75 });
  });

  it('has a full-length bar when no time has passed, and no negative ones', () => {
    assert.deepEqual(barOf(span('a'), { start: 1000, end: 1000 }), { left: 0, width: 1 });
    assert.equal(barOf(span('a', undefined, { start: 2000, end: 1500 }), { start: 0, end: 4000 }).width, 0);
  });

  it('is marked at round times', () => {
    assert.deepEqual(ticksOf(4200, 4), [0, 2000, 4000]);
    assert.deepEqual(ticksOf(286, 3), [0, 100, 200]);
    assert.deepEqual(ticksOf(0.9, 3), [0, 0.5]);
    assert.deepEqual(ticksOf(250_000, 3), [0, 120_000, 240_000]);
    assert.deepEqual(ticksOf(40_000, 3), [0, 15_000, 30_000]);
    assert.deepEqual(ticksOf(0, 4), [0]);
  });
});

describe('a key in the tree of spans', () => {
  const rows = rowsOf(traceOf(agent), { ...all, folded: new Set(['search']) });
  const at = (name: string) => rows.findIndex(({ node }) => node.span.name === name);
  const press = (name: string, key: string) => keyAction(rows, at(name), key, 3);

  it('moves up, down, by a page, to the beginning and the end, and no further', () => {
    assert.deepEqual(press('agent', 'ArrowDown'), { type: 'select', index: 1 });
    assert.deepEqual(press('agent', 'ArrowUp'), { type: 'select', index: 0 });
    assert.deepEqual(press('agent', 'PageDown'), { type: 'select', index: 3 });
    assert.deepEqual(press('answer', 'PageDown'), { type: 'select', index: 4 });
    assert.deepEqual(press('answer', 'Home'), { type: 'select', index: 0 });
    assert.deepEqual(press('agent', 'End'), { type: 'select', index: 4 });
  });

  it('unfolds, then goes to the first child; folds, then goes to the parent', () => {
    assert.deepEqual(press('search', 'ArrowRight'), { type: 'unfold', id: 'search' });
    assert.deepEqual(press('plan', 'ArrowRight'), { type: 'select', index: at('model') });
    assert.deepEqual(press('plan', 'ArrowLeft'), { type: 'fold', id: 'plan' });
    assert.deepEqual(press('model', 'ArrowLeft'), { type: 'select', index: at('plan') });
    assert.equal(press('model', 'ArrowRight'), undefined);
  });

  it('begins at the first row when none is selected', () => {
    assert.deepEqual(keyAction(rows, -1, 'ArrowDown', 3), { type: 'select', index: 0 });
    assert.equal(keyAction([], -1, 'ArrowDown', 3), undefined);
  });

  it('is left to the browser when it is not one of the tree, also when no row is selected', () => {
    assert.equal(keyAction(rows, -1, 'Tab', 3), undefined);
    assert.equal(press('agent', 'Tab'), undefined);
  });
});

describe('the neighbor in a list', () => {
  it('continues at the other end, and is the last entry when going back from none', () => {
    const all = ['a', 'b', 'c'];
    const from = (at: number, step: 1 | -1) => neighborOf(all, at, step);
    assert.deepEqual([from(-1, 1), from(-1, -1)], ['a', 'c']);
    assert.deepEqual([from(0, 1), from(2, 1), from(0, -1), from(2, -1)], ['b', 'a', 'c', 'b']);
    assert.equal(neighborOf([], -1, -1), undefined);
  });
});
