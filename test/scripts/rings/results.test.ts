import assert from 'node:assert/strict';
import { counts, failedFiles, refuseRetries, rerun, sum } from '../../../scripts/rings/results.ts';

const failure = (title: string) => ({ title, error: 'Error: not so' });
const file = (passed: number, failed: number, titles: readonly string[] = []) => ({
  passed,
  failed,
  skipped: 0,
  failures: titles.map(failure),
  retries: [],
  tookMs: 1,
});

describe('the sum of the test rings', () => {
  const first = sum('unit', { 'a.test.ts': file(3, 0), 'b.test.ts': file(1, 2, ['one', 'two']) });

  it('takes the result of a file that is run once more, and still reports what failed before', () => {
    assert.deepEqual(
      failedFiles(first).map((one) => one.file),
      ['b.test.ts'],
    );
    const again = rerun(first, 'unit', { 'b.test.ts': file(3, 0) });
    assert.equal(counts(again), '6 passed, 0 failed');
    assert.deepEqual(again.failures, []);
    assert.deepEqual(again.retries, [failure('one'), failure('two')]);
    assert.equal(again.files.length, 2);
  });

  it('counts what fails again, once', () => {
    const again = rerun(first, 'unit', { 'b.test.ts': file(2, 1, ['two']) });
    assert.equal(counts(again), '5 passed, 1 failed');
    assert.deepEqual(again.failures, [failure('two')]);
  });

  it('keeps the result of a file of another ring that has the same name', () => {
    const again = rerun(first, 'team', { 'b.test.ts': file(3, 0) });
    assert.equal(counts(again), '7 passed, 2 failed');
  });

  it('counts a test that asks for retries as failed in a ring without them', () => {
    const asked = { ...file(1, 0), retries: [failure('three')] };
    assert.equal(counts(sum('unit', refuseRetries({ 'a.test.ts': asked }))), '0 passed, 1 failed');
  });
});
