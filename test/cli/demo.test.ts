import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { patience } from '../support/wait.ts';

const root = resolve(import.meta.dirname, '../..');

describe('the demo', function () {
  // The demo installs the example's packages if they are missing.
  this.timeout(180_000);

  it('runs, answers, gives feedback, shows the trace, and leaves nothing behind', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['scripts/demo.ts'], {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1' },
      timeout: 170_000 * patience,
      maxBuffer: 10_000_000,
    });
    const steps = [
      /→ search_docs \{"query":/,
      /✓ answer/,
      /The run is waiting for an answer:/,
      /Answer its question: approve/,
      /POST http:\/\/127\.0\.0\.1:\d+\/api\/v1\/feedback\/tokens\/…/,
      /✓ docs_agent chain/,
      /└─ ✓ answer chain/,
      /★ helpful 1 “/,
      /processes ended, none is left behind\./,
      /All of it worked/,
    ];
    let rest = stdout;
    for (const step of steps) {
      const found = step.exec(rest);
      assert.ok(found, `${step} comes next in:\n${rest}`);
      rest = rest.slice(found.index + found[0].length);
    }
  });
});
