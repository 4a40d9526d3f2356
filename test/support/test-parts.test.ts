import assert from 'node:assert/strict';
import { partsOf, partsOfFiles, Queue } from '../../scripts/rings/parts.ts';
import { filesOf, type MochaRing, RINGS } from '../../scripts/rings/rings.ts';

const windows: MochaRing = { name: 'windows', kind: 'mocha', files: [], isFileAlone: true, atOnce: 1 };
const servers: MochaRing = { name: 'servers', kind: 'mocha', files: [] };

describe('the parts that test rings are run in', () => {
  for (const withLong of [false, true]) {
    it(`have each file of each ring once, ${withLong ? 'long ones included' : 'except for long ones'}`, () => {
      const files = partsOf(RINGS, withLong).flatMap((part) =>
        'files' in part ? part.files.map((file) => `${part.ring.name}: ${file}`) : [],
      );
      const expected = RINGS.filter((ring) => ring.kind === 'mocha').flatMap((ring) =>
        filesOf(ring, withLong).map((file) => `${ring.name}: ${file}`),
      );
      assert.ok(expected.length > 400);
      assert.deepEqual(files.toSorted(), expected.toSorted());
    });
  }

  it('leave only long files to the full run', () => {
    const files = (withLong: boolean) =>
      RINGS.flatMap((ring) => (ring.kind === 'mocha' ? filesOf(ring, withLong) : []));
    const usual = new Set(files(false));
    const campaigns = /faults|memory|bursts|moved-traces|blocking-calls|python-versions/;
    assert.deepEqual(
      files(true).filter((file) => !usual.has(file) && !campaigns.test(file)),
      [
        'test/e2e/extension-host-support.test.ts',
        'test/e2e/image.test.ts',
        'test/e2e/workbench-support.test.ts',
        'test/conformance/langgraph-cli.test.ts',
        'test/conformance/streamed-text.test.ts',
      ],
    );
  });

  it('take about the same time, with short files beside a long one', () => {
    const long = { long: 200, b: 60, c: 60, d: 50, e: 40 };
    const parts = partsOfFiles(servers, ['b', 'c', 'd', 'e', 'f', 'long'], long);
    assert.deepEqual(
      parts.map(({ label, files, seconds }) => [label, files, seconds]),
      [
        ['servers/1', ['long'], 200],
        ['servers/2', ['b', 'd'], 110],
        ['servers/3', ['c', 'e', 'f'], 101],
      ],
    );
  });

  it('are one file each where files open windows, and only a few of them run at once', () => {
    const files = ['test/e2e/views.test.ts', 'test/e2e/start.test.ts'];
    const alone = partsOfFiles(windows, files, { 'test/e2e/views.test.ts': 60 });
    assert.deepEqual(
      alone.map(({ label }) => label),
      ['windows/views', 'windows/start'],
    );
    const [other] = partsOfFiles(servers, ['a'], { a: 3 });
    assert.ok(other);
    const queue = new Queue([...alone, other], 3);
    const first = queue.take();
    assert.equal(first?.label, 'windows/views');
    assert.equal(queue.take(), other);
    assert.equal(queue.take(), undefined);
    queue.ended(first);
    assert.equal(queue.take()?.label, 'windows/start');
    assert.equal(queue.take(), undefined);
  });

  it('begin with the ring that takes longest by itself because few of its parts may run at once', () => {
    const alone = partsOfFiles(windows, ['a.test.ts', 'b.test.ts'], { 'a.test.ts': 50, 'b.test.ts': 40 });
    const [other] = partsOfFiles(servers, ['c'], { c: 100 });
    assert.ok(other);
    const queue = new Queue([other, ...alone], 2);
    assert.deepEqual([queue.take()?.label, queue.take()?.label], ['windows/a', 'servers']);
  });
});
