import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { endpoint } from '../../../src/contract/endpoint.ts';
import { DatabaseUnreachable } from '../../../src/process/database-unreachable.ts';
import type { DispatchOptions } from '../../../src/server/http/dispatch.ts';
import { HttpError } from '../../../src/server/http/errors.ts';
import { Origin } from '../../../src/server/http/origin.ts';
import { loopbackOnly } from '../../../src/server/http/origin-policy.ts';
import { Router } from '../../../src/server/http/router.ts';
import { upgradeListener } from '../../../src/server/http/upgrade.ts';
import { makeLogger } from '../../../src/server/logger.ts';

const table = {
  socket: endpoint({
    kind: 'websocket',
    method: 'GET',
    path: '/socket',
    summary: 'Fails after the handshake',
    credentials: 'none',
  }),
};

describe('a WebSocket whose handler fails', () => {
  let origin: Origin;
  let failure: Error;

  before(async () => {
    const router = new Router().mount(table, {
      socket: () => {
        throw failure;
      },
    });
    const options: DispatchOptions = {
      router,
      logger: makeLogger({ level: 'silent' }),
      cors: () => loopbackOnly,
      bodyLimit: 1_000,
      authenticate: () =>
        Promise.resolve({ organizationId: 'o', workspaceId: 'w', by: { kind: 'anonymous' } }),
    };
    origin = await Origin.listen(0, (_, response) => response.end(), upgradeListener(options));
  });
  after(() => origin.close());

  async function closeOf(error: Error): Promise<{ code: number; reason: string }> {
    failure = error;
    const socket = new WebSocket(`${origin.url.replace('http', 'ws')}/socket`);
    const [code, reason]: unknown[] = await once(socket, 'close');
    return { code: Number(code), reason: String(reason) };
  }

  it('is closed with the status and the reason', async () => {
    assert.deepEqual(await closeOf(new HttpError(404, "Thread 'a' not found.")), {
      code: 4404,
      reason: "Thread 'a' not found.",
    });
  });

  it('shortens a reason that does not fit into a close frame, between two characters', async () => {
    const { code, reason } = await closeOf(new HttpError(403, '→'.repeat(90)));
    assert.equal(code, 4403);
    assert.equal(reason, '→'.repeat(41));
  });

  it('keeps the message of an unexpected error to the log', async () => {
    assert.deepEqual(await closeOf(new Error('a secret')), { code: 4500, reason: '' });
  });
});

describe('a WebSocket that is refused before its handshake', () => {
  const logged: unknown[] = [];
  let origin: Origin;
  let failure: Error;

  before(async () => {
    const logger = makeLogger({ level: 'silent' });
    logger.error = (fields: unknown) => void logged.push(fields);
    origin = await Origin.listen(
      0,
      (_, response) => response.end(),
      upgradeListener({
        router: new Router().mount(table, { socket: () => {} }),
        logger,
        cors: () => loopbackOnly,
        bodyLimit: 1_000,
        authenticate: () => Promise.reject(failure),
      }),
    );
  });
  beforeEach(() => logged.splice(0));
  after(() => origin.close());

  async function refusalOf(error: Error) {
    failure = error;
    const socket = new WebSocket(`${origin.url.replace('http', 'ws')}/socket`).on('error', () => {});
    const answer = await new Promise<IncomingMessage>((resolve) =>
      socket.once('unexpected-response', (_, response) => resolve(response)),
    );
    answer.resume();
    return { statusCode: answer.statusCode, retryAfter: answer.headers['retry-after'] };
  }

  it('logs an unexpected error', async () => {
    const error = new Error('a fault');
    assert.deepEqual(await refusalOf(error), { statusCode: 500, retryAfter: undefined });
    assert.deepEqual(logged, [{ err: error }]);
  });

  it('says that the database cannot be reached, and when to try again', async () => {
    assert.deepEqual(await refusalOf(new DatabaseUnreachable()), {
      statusCode: 503,
      retryAfter: '1',
    });
    assert.deepEqual(logged, []);
  });

  it('has the headers of a refusal', async () => {
    const refusal = new HttpError(429, 'Too many.', { 'retry-after': '7' });
    assert.deepEqual(await refusalOf(refusal), { statusCode: 429, retryAfter: '7' });
  });
});
