import assert from 'node:assert/strict';
import { failingEntry } from '../../src/deploy/failing-entry.ts';

describe('the line of a build log that names the failure', () => {
  const of = (...lines: readonly string[]) =>
    lines[failingEntry(lines.map((message) => ({ message, level: 'INFO' })))];

  it('is npm’s specific message, not its code, its paths or its general advice', () => {
    // The output of npm 11.
    const lock = [
      'npm error code EUSAGE',
      'npm error',
      'npm error `npm ci` can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync. Please update your lock file with `npm install` before continuing.',
      'npm error',
      'npm error Missing: zod@4.1.0 from lock file',
      'npm error',
      'npm error Clean install a project',
    ];
    assert.equal(of('$ npm ci', ...lock), 'npm error Missing: zod@4.1.0 from lock file');
    const folder = [
      'npm error code ENOENT',
      'npm error syscall open',
      'npm error path /nope/package.json',
      'npm error errno -2',
      'npm error enoent Could not read package.json: Error: ENOENT: no such file or directory',
    ];
    assert.equal(of('$ npm ci', ...folder), folder.at(-1));
  });

  it('is the first that is marked as an error, else the first that reads like one, else the last', () => {
    const log = [
      { level: 'INFO', message: 'added 3 packages, 0 errors' },
      { level: 'ERROR', message: 'graph.ts:3 is not exported' },
    ];
    assert.equal(failingEntry(log), 1);
    assert.equal(of('building', 'tsc: cannot find name x', 'error 2'), 'tsc: cannot find name x');
    assert.equal(of('building', 'Killed'), 'Killed');
    assert.equal(of('npm error code 3', 'Killed'), 'npm error code 3');
  });
});
