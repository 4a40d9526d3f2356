import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { Journal } from '../../../../src/extension/panels/run/journal.ts';
import type { JournalEntry } from '../../../../src/extension/panels/run/journal-entry.ts';

const run_id = 'run';

describe("the run panel's journal", () => {
  it('sends the events of one frame together', async () => {
    const journal = new Journal();
    const sent: (readonly JournalEntry[])[] = [];
    journal.play((entries) => sent.push(entries));
    journal.add({ type: 'run-started', run_id, thread_id: 'thread' });
    for (let n = 0; n < 1000; n++) journal.addEvent(run_id, { event: 'custom', data: n });
    await delay(100);
    assert.equal(sent.length, 2);
    assert.deepEqual(sent[0], []);
    const [started, stream] = sent[1] ?? [];
    assert.equal(started?.type, 'run-started');
    assert.ok(stream?.type === 'stream');
    assert.deepEqual(
      stream.events.map(({ data }) => data),
      Array.from({ length: 1000 }, (_, n) => n),
    );
    journal.dispose();
  });

  it('sends an event that comes after a pause without waiting for the rest of a frame', async () => {
    const journal = new Journal();
    const sent: JournalEntry[] = [];
    journal.play((entries) => sent.push(...entries));
    await delay(20);
    // An earlier timer of 8 ms fires before a timer of one frame that is set now.
    const half = delay(8);
    journal.addEvent(run_id, { event: 'custom', data: 1 });
    await half;
    assert.equal(sent.length, 1);
    journal.dispose();
  });

  it('replays everything once to a webview that opens later', async () => {
    const journal = new Journal();
    journal.add({ type: 'reset', thread_id: undefined });
    journal.addEvent(run_id, { event: 'custom', data: 1 });
    const sent: JournalEntry[] = [];
    journal.play((entries) => sent.push(...entries));
    journal.addEvent(run_id, { event: 'custom', data: 2 });
    await delay(100);
    const events = sent.flatMap((entry) =>
      entry.type === 'stream' ? entry.events.map(({ data }) => data) : [],
    );
    assert.deepEqual(events, [1, 2]);
    journal.dispose();
  });

  it('replays many events in parts, between which a panel can draw', () => {
    const journal = new Journal();
    journal.add({ type: 'run-started', run_id, thread_id: 'thread' });
    for (let n = 0; n < 12_500; n++) journal.addEvent(run_id, { event: 'custom', data: n });
    journal.add({ type: 'run-ended', run_id, outcome: 'success', duration_ms: 1 });
    const parts: (readonly JournalEntry[])[] = [];
    journal.play((entries) => parts.push(entries));
    const counts = parts.map((part) =>
      part.reduce((sum, entry) => sum + (entry.type === 'stream' ? entry.events.length : 0), 0),
    );
    assert.deepEqual(counts, [5_000, 5_000, 2_500]);
    assert.equal(parts[0]?.[0]?.type, 'run-started');
    assert.equal(parts[2]?.at(-1)?.type, 'run-ended');
    journal.dispose();
  });

  it('starts over after a reset', () => {
    const journal = new Journal();
    journal.addEvent(run_id, { event: 'custom', data: 1 });
    journal.add({ type: 'reset', thread_id: 'thread' });
    const played: JournalEntry[] = [];
    journal.play((entries) => played.push(...entries));
    assert.deepEqual(played, [{ type: 'reset', thread_id: 'thread' }]);
    journal.dispose();
  });

  it('drops events of earlier runs when there are too many', () => {
    const journal = new Journal();
    for (let n = 0; n < 60_000; n++)
      journal.addEvent(n < 40_000 ? 'old' : 'new', { event: 'custom', data: n });
    const played: JournalEntry[] = [];
    journal.play((entries) => played.push(...entries));
    const count = played.reduce((sum, entry) => sum + (entry.type === 'stream' ? entry.events.length : 0), 0);
    assert.equal(count, 20_000);
    assert.ok(played.every((entry) => entry.type !== 'stream' || entry.run_id === 'new'));
    journal.dispose();
  });

  it('keeps the last events of a run that streams more than that, and says how many came before', () => {
    const journal = new Journal();
    journal.add({ type: 'run-started', run_id, thread_id: 'thread' });
    for (let n = 0; n < 230_000; n++) journal.addEvent(run_id, { event: 'custom', data: n });
    const played: JournalEntry[] = [];
    journal.play((entries) => played.push(...entries));
    const [started, dropped, ...streamed] = played;
    assert.equal(started?.type, 'run-started');
    assert.ok(dropped?.type === 'dropped');
    const events = streamed.flatMap((entry) => (entry.type === 'stream' ? entry.events : []));
    assert.ok(events.length <= 50_000 && events.length >= 39_000, String(events.length));
    assert.equal(dropped.events + events.length, 230_000);
    assert.deepEqual(
      events.map(({ data }) => data),
      Array.from({ length: events.length }, (_, n) => dropped.events + n),
      'the last ones, in order',
    );
    journal.dispose();
  });
});
