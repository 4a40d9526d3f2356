import assert from 'node:assert/strict';
import type { LogEntry } from '../../src/contract/control-plane/logs.ts';
import { followLogs } from '../../src/deploy/follow-logs.ts';

describe('a log that is followed', () => {
  it('gives each line once and in order, also lines of the same millisecond', async () => {
    const log: LogEntry[] = [];
    const add = (message: string, second: number) =>
      log.push({ id: String(log.length), timestamp: `2026-01-02T03:04:0${second}Z`, message });
    const later: [string, number][][] = [
      [],
      [
        ['d', 2],
        ['e', 2],
      ],
      [['f', 2]],
      [],
      [
        ['g', 4],
        ['h', 5],
      ],
    ];
    add('a', 0);
    add('b', 1);
    add('c', 2);
    const lines = followLogs(
      async ({ order, limit, start_time: start = '' }) => {
        const found = log.filter(
          ({ timestamp }) => Date.parse(String(timestamp)) >= (Date.parse(start) || 0),
        );
        return { logs: (order === 'asc' ? found : found.toReversed()).slice(0, limit) };
      },
      {
        limit: 2,
        signal: new AbortController().signal,
        hasMore: () => {
          for (const line of later.shift() ?? []) add(...line);
          return later.length > 0;
        },
        pollMs: 1,
      },
    );
    const seen: string[] = [];
    for await (const { message } of lines) seen.push(message);
    assert.equal(seen.join(''), 'bcdefgh');
  });
});
