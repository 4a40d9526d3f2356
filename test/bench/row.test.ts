import assert from 'node:assert/strict';
import { ratioTable } from '../../bench/harness/report.ts';
import { Row, type RowSpec } from '../../bench/harness/row.ts';
import type { SubjectName } from '../../bench/harness/subject.ts';

type Samples = Partial<Record<SubjectName, number>>;

function row(spec: Partial<RowSpec>, { ours, peer, 'floor-graph': floor }: Samples): Row {
  const made = new Row({ title: 'a run', unit: 'ms', ...spec });
  if (ours !== undefined) made.add('ours', ours);
  if (peer !== undefined) made.add('peer', peer);
  if (floor !== undefined) made.add('floor-graph', floor);
  return made;
}

describe('a row of the benchmark', () => {
  it('shows the median, and the 99th percentile only from a hundred samples on', () => {
    const few = new Row({ title: 'a run', unit: 'ms' });
    for (const value of [5, 1, 3]) few.add('ours', value);
    assert.deepEqual(few.summary('ours'), { n: 3, min: 1, p50: 3, mean: 3, max: 5 });
    assert.equal(few.summary('peer'), undefined);

    const many = new Row({ title: 'a run', unit: 'ms' });
    for (let value = 1; value <= 1_000; value++) many.add('ours', value);
    assert.ok(Math.abs((many.summary('ours')?.p99 ?? 0) - 990) <= 1);
  });

  it('takes the percentile of a rate from the slow end', () => {
    const rate = new Row({ title: 'runs', unit: 'runs/s' });
    for (let value = 1; value <= 1_000; value++) rate.add('ours', value);
    assert.ok(Math.abs((rate.summary('ours')?.p99 ?? 0) - 10) <= 1);
  });

  it('meets a target that is a multiple of a floor', () => {
    const target = { bound: 'at most', value: 2, times: 'floor-graph' } as const;
    assert.equal(row({ target }, { ours: 2, 'floor-graph': 1 }).isTargetMet(), true);
    assert.equal(row({ target }, { ours: 2.1, 'floor-graph': 1 }).isTargetMet(), false);
  });

  it('meets a target that is an absolute value', () => {
    const target = { bound: 'at least', value: 100 } as const;
    assert.equal(row({ unit: 'runs/s', target }, { ours: 100 }).isTargetMet(), true);
    assert.equal(row({ unit: 'runs/s', target }, { ours: 99 }).isTargetMet(), false);
  });

  it('leaves a target open when Agent Harbor or the floor was not measured', () => {
    const target = { bound: 'at most', value: 2, times: 'floor-graph' } as const;
    assert.equal(row({ target }, { ours: 2 }).isTargetMet(), undefined);
    assert.equal(row({ target }, { 'floor-graph': 2 }).isTargetMet(), undefined);
  });
});

describe('the table of ratios', () => {
  it('treats less time and more runs per second as better', () => {
    assert.match(ratioTable([row({ unit: 'ms' }, { ours: 1, peer: 10 })]), /10\.0 × better/);
    assert.match(ratioTable([row({ unit: 'runs/s' }, { ours: 1, peer: 10 })]), /10\.0 × worse/);
  });

  it('lists the missed targets', () => {
    const target = { bound: 'at most', value: 10 } as const;
    const table = ratioTable([row({ target }, { ours: 9 }), row({ target }, { ours: 11 })]);
    assert.match(table, /≤ 10 ms\s*\| met/);
    assert.match(table, /≤ 10 ms\s*\| missed/);
  });
});
