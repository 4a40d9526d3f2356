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

  /** Reads pages like a platform, by the position in a log whose lines all have the same time. */
  const pages = (count: number, isPaged: boolean) => {
    const log = Array.from({ length: count }, (_, at) => ({ id: String(at), timestamp: 1, message: '' }));
    return async ({ order, limit, offset }: { order: string; limit: number; offset?: string }) => {
      if (order === 'desc') return { logs: log.slice(0, 1) };
      const from = Number(offset ?? 0);
      const logs = log.slice(from, from + limit);
      return isPaged ? { logs, next_offset: String(from + logs.length) } : { logs };
    };
  };
  const idsOf = async (read: Parameters<typeof followLogs>[0], more: boolean[]) => {
    const { signal } = new AbortController();
    const hasMore = () => more.shift() ?? false;
    const seen: string[] = [];
    for await (const { id } of followLogs(read, { limit: 1, signal, hasMore, pollMs: 1 })) seen.push(id);
    return seen;
  };

  it('gives each of more lines of one millisecond than a page has once', async () => {
    const seen = await idsOf(pages(2_500, true), Array(8).fill(true));
    assert.deepEqual(
      seen,
      Array.from({ length: 2_500 }, (_, at) => String(at)),
    );
  });

  it('ends if a platform without offsets returns the same page again', async () => {
    assert.equal((await idsOf(pages(2_500, false), Array(4).fill(true))).length, 1_000);
  });

  it('is read again after a failed read, so that its last lines are not lost', async () => {
    const read = pages(2, true);
    let reads = 0;
    const { signal } = new AbortController();
    const seen: string[] = [];
    const options = { limit: 1, signal, hasMore: () => reads < 2, pollMs: 1, onTrouble: () => {} };
    const lines = followLogs(async (body) => {
      if (++reads === 2) throw new Error('unreachable');
      return read(body);
    }, options);
    for await (const { id } of lines) seen.push(id);
    assert.deepEqual(seen, ['0', '1']);
  });
});
