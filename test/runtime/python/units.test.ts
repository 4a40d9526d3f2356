import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { requirePython } from '../../support/python-projects.ts';
import { patience } from '../../support/wait.ts';

const TIMEOUT_MS = 60_000;

describe('the parts of the Python runtime', () => {
  let python: string;

  before(async function () {
    python = await requirePython(this, 'langgraph-1.2');
  });

  it('pass their own unit tests', async () => {
    const script = path.join(import.meta.dirname, 'units.py');
    const { stderr } = await promisify(execFile)(python, [script], { timeout: TIMEOUT_MS * patience }).catch(
      (error: { stderr?: string }) => ({ stderr: error.stderr ?? String(error) }),
    );
    assert.match(stderr, /\nOK\s*$/, stderr);
  }).timeout(TIMEOUT_MS);
});
