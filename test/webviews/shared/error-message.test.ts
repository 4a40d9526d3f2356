import assert from 'node:assert/strict';
import { readableError } from '../../../src/webviews/shared/error-message.ts';

describe('an error of a run', () => {
  it('from zod is shown as one sentence per value', () => {
    const message = JSON.stringify([
      {
        code: 'invalid_type',
        path: ['crates', 0],
        message: 'Invalid input: expected array, received undefined',
      },
      { code: 'invalid_type', path: ['rush'], message: 'Invalid input: expected boolean, received string' },
      { code: 'too_small', path: [], message: 'Too small: expected string to have >=1 characters' },
    ]);
    assert.deepEqual(readableError('$ZodError', message), {
      title: "A value does not match the graph's schema",
      message: '',
      issues: [
        { path: 'crates.0', text: 'is required (array)' },
        { path: 'rush', text: 'must be of type boolean, not string' },
        { path: '', text: 'Too small: expected string to have >=1 characters' },
      ],
    });
  });

  it('that is not from zod is shown unchanged', () => {
    assert.deepEqual(readableError('ZodError', 'no JSON'), {
      title: 'ZodError',
      message: 'no JSON',
      issues: [],
    });
    assert.equal(readableError('RangeError', '[]').message, '[]');
  });
});
