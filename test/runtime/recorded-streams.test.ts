import assert from 'node:assert/strict';
import { z } from 'zod';
import { requirePython } from '../support/python-projects.ts';
import { record } from '../support/streams/record.ts';
import { RunRecord, readRecording, recordedLines } from '../support/streams/recordings.ts';

/**
 * Played by the tests of the run panel and of the terminal; `node scripts/record-streams.ts` records them
 * again.
 */
describe('the recorded streams', function () {
  this.timeout(120_000);
  for (const line of recordedLines) {
    it(`equal what ${line.name} streams now`, async function () {
      if (line.language === 'python') await requirePython(this, line.line);
      const [now, then] = [comparable(await record(line)), comparable(await readRecording(line))];
      assert.deepEqual(
        now.map(({ events }) => events.map(({ event }) => event)),
        then.map(({ events }) => events.map(({ event }) => event)),
      );
      assert.deepEqual(now, then);
    });
  }
});

/**
 * The runs with the events of the mode `events` after all others: LangChain reports them from a separate queue, so
 * their place among the others varies. IDs are then renumbered in the order in which they come.
 */
function comparable(runs: readonly RunRecord[]): RunRecord[] {
  const isQueued = ({ event }: { event: string }) => event.split('|')[0] === 'events';
  const ordered = runs.map((run) => ({
    ...run,
    events: [...run.events.filter((event) => !isQueued(event)), ...run.events.filter(isQueued)],
  }));
  const ids = new Map<string, string>();
  const text = JSON.stringify(ordered).replaceAll(/\bid-\d+\b/g, (id) => {
    const known = ids.get(id) ?? `id-${ids.size + 1}`;
    ids.set(id, known);
    return known;
  });
  return z.array(RunRecord).parse(JSON.parse(text));
}
