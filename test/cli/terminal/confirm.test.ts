import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { confirm } from '../../../src/cli/terminal/confirm.ts';
import { Terminal } from '../../../src/cli/terminal/terminal.ts';

/** Standard input like a terminal at which a user types. */
function typing(text: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(text);
  const quiet = new PassThrough();
  return {
    stdin,
    terminal: new Terminal({ stdout: quiet, stderr: quiet, environment: {} }),
    interrupted: new AbortController().signal,
  };
}

describe('a permanent deletion', () => {
  const asked = { question: '', expected: 'my-agent', otherwise: 'Nothing was deleted.' };

  it('happens when the name is typed', () => confirm(typing('my-agent\n'), asked));

  it('does not happen when anything else is typed', () =>
    assert.rejects(confirm(typing('yes\n'), asked), /Nothing was deleted/));
});
