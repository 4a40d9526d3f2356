import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { AuditEvent } from '../../../src/contract/audit.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { identity } from '../../../src/contract/identity.ts';
import { controlPlaneTables, platformTables, tracingTables } from '../../../src/contract/tables.ts';
import { DatabaseUnreachable } from '../../../src/process/database-unreachable.ts';
import { AuditLog } from '../../../src/server/identity/audit-log.ts';
import { auditedAction } from '../../../src/server/identity/audited-actions.ts';
import { Identity } from '../../../src/server/identity/identity.ts';
import { makeLogger } from '../../../src/server/logger.ts';
import { openStateDatabase } from '../../../src/server/storage/sqlite-state.ts';
import { type ServerProcess, serverProcess } from '../../support/control-plane/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Endpoints that change nothing permanently, or only data that clients of the machine itself may change. */
const NOT_AUDITED: ReadonlySet<string> = new Set([
  'POST /v2/auth/providers/mcp-discover',
  'POST /v2/deployments/{deployment_id}/push-token',
]);
const FOR_THE_MACHINE = /^\/harbor\/(?:workspaces|otlp|shutdown)/;

describe('the audit log', function () {
  this.timeout(60_000);
  let server: ServerProcess;
  before(async () => {
    server = await serverProcess();
  });
  after(() => server[Symbol.asyncDispose]());

  const ask = async (method: string, route: string, { body, key }: { body?: unknown; key?: string } = {}) => {
    const answer = await fetch(`${server.baseUrl}${route}`, {
      method,
      headers: {
        'x-api-key': key ?? server.apiKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const read = async (query = '', key?: string) => {
    const { status, text } = await ask('GET', `/harbor/audit${query}`, key === undefined ? {} : { key });
    assert.equal(status, 200, text);
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => AuditEvent.parse(JSON.parse(line)));
  };
  const Made = z.object({ id: z.string(), key: z.string() });

  it('has every change that requires the right deploy, admin or owner', () => {
    const tables = { ...controlPlaneTables, ...tracingTables, ...platformTables };
    const endpoints: Endpoint[] = Object.values(tables).flatMap((table) => Object.values<Endpoint>(table));
    const missing = endpoints
      .filter(
        (one) =>
          'right' in one &&
          ['deploy', 'admin', 'owner'].includes(one.right) &&
          one.method !== 'GET' &&
          one.kind === 'json' &&
          !FOR_THE_MACHINE.test(one.path) &&
          auditedAction(one) === undefined,
      )
      .map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(
      missing.filter((what) => !NOT_AUDITED.has(what)),
      [],
    );
  });

  it('records who did what, even if it failed, and never a key or the value of a secret', async () => {
    const first = await ask('POST', '/api-key', {
      body: { description: 'Ada\n\u2028\u0007', rights: ['admin', 'deploy'] },
    });
    const made = Made.parse(JSON.parse(first.text));
    const value = 'the-value-of-a-secret';
    await ask('POST', '/workspaces/current/secrets', {
      key: made.key,
      body: [{ key: 'OPENAI_API_KEY', value }],
    });
    const missing = crypto.randomUUID();
    assert.equal((await ask('POST', `/harbor/deployments/${missing}/pause`, { key: made.key })).status, 404);
    assert.equal(
      (await ask('PATCH', '/harbor/limits', { key: made.key, body: { max_threads: 1 } })).status,
      403,
    );
    assert.equal((await ask('DELETE', `/api-key/${made.id}`)).status, 200);

    const events = await read();
    const told = events.map(({ actor_name, action, subject, status }) => ({
      actor_name,
      action,
      subject,
      status,
    }));
    assert.deepEqual(told, [
      {
        actor_name: 'This machine',
        action: 'key.create',
        subject: { description: 'Ada\n\u2028\u0007', rights: ['admin', 'deploy'], id: made.id },
        status: 200,
      },
      {
        actor_name: 'Ada\n\u2028\u0007',
        action: 'secret.set',
        subject: { key: ['OPENAI_API_KEY'] },
        status: 200,
      },
      {
        actor_name: 'Ada\n\u2028\u0007',
        action: 'deployment.pause',
        subject: { deployment_id: missing },
        status: 404,
      },
      {
        actor_name: 'This machine',
        action: 'key.revoke',
        subject: { api_key_id: made.id, id: made.id },
        status: 200,
      },
    ]);
    assert.equal(events[1]?.actor, `api-key:${made.id}`);
    const text = JSON.stringify(events);
    assert.ok(!text.includes(value) && !text.includes(made.key));
    assert.deepEqual((await read('?action=key.revoke')).length, 1);
    assert.deepEqual(
      (await read('?limit=2')).map(({ action }) => action),
      ['deployment.pause', 'key.revoke'],
    );
    assert.deepEqual(await read(`?until=${events[0]?.at}`), []);
    assert.equal((await ask('GET', '/harbor/audit?since=yesterday')).status, 422);
  });

  it('shows one workspace, to those who may manage it', async () => {
    const other = z
      .object({ id: z.string() })
      .parse(JSON.parse((await ask('POST', '/workspaces', { body: { display_name: 'Other' } })).text));
    const make = async (rights: string[]) =>
      Made.parse(
        JSON.parse((await ask('POST', '/api-key', { body: { workspaces: [other.id], rights } })).text),
      ).key;
    assert.deepEqual(await read('', await make(['admin'])), []);
    assert.equal(
      (await ask('GET', '/harbor/audit', { key: await make(['read', 'write', 'deploy']) })).status,
      403,
    );
  });

  it('keeps events for as long as the owner has set', async () => {
    const before = await read();
    assert.ok(before.length > 0);
    await ask('PATCH', '/harbor/limits', { body: { audit_days: 1 } });
    assert.equal((await read()).length, before.length + 1, 'nothing is a day old');
    const [oldest] = before;
    using state = new DatabaseSync(path.join(server.dataDir, 'state.db'));
    state
      .prepare('UPDATE audit_events SET at = ? WHERE id = ?')
      .run('2026-01-01T00:00:00.000Z', oldest?.id ?? '');
    await ask('PATCH', '/harbor/limits', { body: { max_threads: null } });
    const after = await read();
    assert.equal(after.length, before.length + 1, 'one has come, and one is gone');
    assert.ok(after.every(({ id }) => id !== oldest?.id));
  });

  it('records deletions of datasets, and of examples from all versions', async () => {
    const dataset = z
      .object({ id: z.string() })
      .parse(JSON.parse((await ask('POST', '/datasets', { body: { name: 'questions' } })).text));
    const example_ids = [randomUUID()];
    await ask('POST', '/v1/platform/datasets/examples/delete/', { body: { example_ids, hard_delete: true } });
    assert.equal((await ask('DELETE', `/datasets/${dataset.id}`)).status, 200);
    const [examples, whole] = await read('?limit=2');
    assert.equal(examples?.action, 'example.delete');
    assert.deepEqual(examples.subject, { example_ids, hard_delete: true });
    assert.equal(whole?.action, 'dataset.delete');
    assert.equal(whole.subject.dataset_id, dataset.id);
  });

  it('records what a purge was limited to, whichever address it came by', async () => {
    const limits = { before: '2026-01-01T00:00:00Z', start_time: '2025-01-01T00:00:00Z', dry_run: true };
    for (const route of ['/api/v1/runs/delete', '/api/v1/runs/delete/traces']) {
      const body = { ...limits, session_id: randomUUID(), trace_ids: [randomUUID()] };
      await ask('POST', route, { body });
      const [event] = await read('?limit=1');
      assert.equal(event?.action, 'purge.request', route);
      assert.deepEqual(event?.subject, body, route);
    }
  });
});

describe('an audited action', () => {
  it('is answered as carried out if the database cannot be reached right afterwards', async () => {
    await using folder = await temporaryFolder();
    await using db = await openStateDatabase(folder.path);
    const { organizationId, workspaceId } = await new Identity(db).findDefaultWorkspace();
    const log = new AuditLog(db, {
      logger: makeLogger({ level: 'silent' }),
      keptDays: () => Promise.reject(new DatabaseUnreachable()),
    });
    const call = {
      params: {},
      query: {},
      body: {},
      caller: { organizationId, workspaceId, by: { kind: 'loopback' } },
    } as const;
    const ended = await log.begin(identity.createKey, call);
    assert.ok(ended);
    await ended(200, { id: 'made' });
    const { status } = await db.selectFrom('audit_events').select('status').executeTakeFirstOrThrow();
    assert.equal(status, 200);
  });
});
