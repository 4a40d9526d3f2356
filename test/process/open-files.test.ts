import assert from 'node:assert/strict';
import process from 'node:process';
import { openFilesSentence, saysTooManyFiles } from '../../src/process/open-files.ts';

describe('too many open files', () => {
  it('are explained with the limit, or without it where there is none', () => {
    const { getReport } = process.report;
    const sentenceWith = (soft: number | 'unlimited' | undefined) => {
      process.report.getReport = () => ({ userLimits: soft && { open_files: { soft } } });
      try {
        return openFilesSentence();
      } finally {
        process.report.getReport = getReport;
      }
    };
    assert.match(
      sentenceWith(1_024),
      /^Only 1,024 files can be open at the same time\. Raise the limit \(ulimit/,
    );
    for (const soft of ['unlimited', undefined] as const)
      assert.equal(
        sentenceWith(soft),
        'Too many files are open. Close other programs, and restart Agent Harbor.',
      );
  });

  it('are recognized in messages of Node and Python', () => {
    for (const message of [
      'EMFILE: too many open files',
      'spawn ENFILE',
      'OSError: [Errno 24] Too many open files',
    ])
      assert.ok(saysTooManyFiles(message), message);
    assert.ok(!saysTooManyFiles('[Errno 2] No such file or directory'));
  });
});
