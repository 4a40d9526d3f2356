import assert from 'node:assert/strict';
import { endpoint } from '../../../src/contract/endpoint.ts';
import { dispatcher } from '../../../src/server/http/dispatch.ts';
import { Origin } from '../../../src/server/http/origin.ts';
import { loopbackOnly } from '../../../src/server/http/origin-policy.ts';
import { Router } from '../../../src/server/http/router.ts';
import { Identity } from '../../../src/server/identity/identity.ts';
import { makeLogger } from '../../../src/server/logger.ts';
import { openStateDatabase } from '../../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../../src/server/storage/state-database.ts';
import { ANY_KEY, EVERYTHING } from '../../support/keys.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { patience } from '../../support/wait.ts';

const table = {
  events: endpoint({
    kind: 'event-stream',
    method: 'GET',
    path: '/events',
    summary: 'Streams until it is ended',
    credentials: 'api-key',
    right: 'read',
  }),
};

describe('an open stream', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let db: StateDatabase;
  let identity: Identity;
  let origin: Origin;

  before(async () => {
    folder = await temporaryFolder();
    db = await openStateDatabase(folder.path);
    identity = new Identity(db);
    const router = new Router().mount(table, {
      events: async (_, open) => {
        const stream = open();
        stream.send('first', {});
        await stream.closed;
      },
    });
    origin = await Origin.listen(
      0,
      dispatcher({
        router,
        logger: makeLogger({ level: 'silent' }),
        cors: () => loopbackOnly,
        bodyLimit: 1000,
        authenticate: ({ headers }, credentials) => identity.authenticate(headers, credentials),
        onRevoked: (caller, end) => identity.onRevoked(caller, end),
      }),
    );
  });
  after(async () => {
    await origin.close();
    await db.destroy();
    await folder[Symbol.asyncDispose]();
  });

  /** Opens a stream with a key and waits for its first event. @returns reads on to its end */
  async function open(key: string): Promise<() => Promise<unknown>> {
    const response = await fetch(`${origin.url}/events`, {
      headers: { 'x-api-key': key },
      signal: AbortSignal.timeout(10_000 * patience),
    });
    const reader = response.body?.getReader();
    assert.ok(reader !== undefined && (await reader.read()).value !== undefined);
    return () => reader.read();
  }

  it('ends when its key is revoked, unlike those of other keys', async () => {
    const { organizationId, workspaceId } = await identity.findDefaultWorkspace();
    const options = { organizationId, workspaceIds: [workspaceId] };
    const [lost, kept] = await Promise.all(
      ['lost', 'kept'].map((name) => identity.createKey({ ...options, name, grant: EVERYTHING })),
    );
    const readLost = await open(lost ?? '');
    const readKept = await open(kept ?? '');
    const bearer = await identity.bearerTokens.create(
      await identity.authenticate({ 'x-api-key': lost }, ANY_KEY),
      60_000,
    );
    let keptOn = true;
    const going = readKept().catch((error: unknown) => {
      keptOn = false;
      throw error;
    });
    const readBearer = await open(bearer.token);
    await identity.revokeKeys({ names: ['lost'] });
    await assert.rejects(readLost(), /terminated/);
    await assert.rejects(readBearer(), /terminated/);
    assert.ok(keptOn);
    await identity.revokeKeys({ names: ['kept'] });
    await assert.rejects(going, /terminated/);
  });
});
