import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import v8 from 'node:v8';
import vm from 'node:vm';
import { readJson } from '../../../src/server/http/body.ts';
import { Origin } from '../../../src/server/http/origin.ts';
import { eventually } from '../../support/wait.ts';

const REQUESTS = 8;
const PIECE = 'x'.repeat(65_536);
/** No check runs within the time of a test. */
const NEVER = { headersMs: 3_600_000, bodyMs: 3_600_000, checkEveryMs: 3_600_000 };

v8.setFlagsFromString('--expose-gc');
const collect: unknown = vm.runInNewContext('gc');
v8.setFlagsFromString('--no-expose-gc');
assert.ok(typeof collect === 'function');

describe('a request whose body has been read', () => {
  for (const [name, isAnswered] of [
    ['is not held once it is answered', true],
    ['leaves nothing of its body while it waits for its answer', false],
  ] as const) {
    it(name, async () => {
      const held: WeakRef<object>[] = [];
      const open: ServerResponse[] = [];
      const origin = await Origin.listen(
        0,
        (request, response) => {
          if (isAnswered) held.push(new WeakRef(request));
          else request.on('data', (piece: Buffer) => held.push(new WeakRef(piece.buffer)));
          void readJson(request, 10_000_000).then(() => {
            if (isAnswered) response.end();
            else {
              open.push(response);
              response.flushHeaders();
            }
          });
        },
        undefined,
        { stallTimeouts: NEVER },
      );
      try {
        const answers: Response[] = [];
        for (let sent = 0; sent < REQUESTS; sent++) {
          const answer = await fetch(origin.url, { method: 'POST', body: JSON.stringify([PIECE, PIECE]) });
          if (isAnswered) await answer.text();
          else answers.push(answer);
        }
        assert.ok(held.length >= REQUESTS);
        // A connection keeps its last request, and the parser its last chunk.
        const most = isAnswered ? 1 : REQUESTS;
        const countHeld = () => {
          collect();
          return held.filter((one) => one.deref() !== undefined).length;
        };
        await eventually('they are collected', countHeld, (count) => count <= most);
        assert.equal(open.length, answers.length);
        for (const response of open) response.end();
        await Promise.all(open.map((response) => response.closed || once(response, 'close')));
      } finally {
        await origin.close();
      }
    });
  }
});
