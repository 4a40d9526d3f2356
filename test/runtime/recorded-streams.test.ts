import assert from 'node:assert/strict';
import { requirePython } from '../support/python-projects.ts';
import { record } from '../support/streams/record.ts';
import { readRecording, recordedLines } from '../support/streams/recordings.ts';

/** What the tests of the run panel and of the terminal play; `node scripts/record-streams.ts` records it anew. */
describe('the recorded streams', function () {
  this.timeout(120_000);
  for (const line of recordedLines) {
    it(`are what ${line.name} streams now`, async function () {
      if (line.language === 'python') await requirePython(this, line.line);
      const [now, then] = [await record(line), await readRecording(line)];
      assert.deepEqual(
        now.map(({ events }) => events.map(({ event }) => event)),
        then.map(({ events }) => events.map(({ event }) => event)),
      );
      assert.deepEqual(now, then);
    });
  }
});
