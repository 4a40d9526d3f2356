import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { identity as identityTable } from '../../src/contract/identity.ts';
import { ChangeFeed } from '../../src/server/http/change-feed.ts';
import { dispatcher } from '../../src/server/http/dispatch.ts';
import { Origin } from '../../src/server/http/origin.ts';
import { loopbackOnly } from '../../src/server/http/origin-policy.ts';
import { Router } from '../../src/server/http/router.ts';
import { IdentityAdministration } from '../../src/server/identity/administration.ts';
import { Identity } from '../../src/server/identity/identity.ts';
import { identityHandlers } from '../../src/server/identity/identity-handlers.ts';
import { WorkspaceDeletion } from '../../src/server/identity/workspace-deletion.ts';
import { makeLogger } from '../../src/server/logger.ts';
import { openStateDatabase } from '../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../src/server/storage/state-database.ts';
import type { OpenTraceObjects } from '../../src/server/traces-thread/trace-object-store.ts';
import { Tracing } from '../../src/server/traces-thread/tracing.ts';
import type { TeamTraces } from '../../src/server/traces-thread/worker-data.ts';
import { EVERYTHING } from './keys.ts';
import { traceObjectsForTests, tracesDatabaseFor } from './traces-database.ts';

export interface Workspace {
  readonly id: string;
  readonly key: string;
}

/** The platform's origin with all real parts behind it, without the rest of the server. */
export interface Platform {
  readonly url: string;
  readonly dataDir: string;
  readonly tracing: Tracing;
  readonly identity: Identity;
  readonly changes: ChangeFeed;
  /** The workspace and key that `fetch` uses. */
  readonly workspace: Workspace;
  /** A request as the workspace's key; JSON bodies are made of objects. */
  fetch(route: string, init?: PlatformRequest): Promise<Response>;
  /** A separate workspace with its own key, in the same organization. */
  newWorkspace(): Promise<Workspace>;
  close(): Promise<void>;
}

/** Texts, bytes and forms are sent as they are, other bodies as JSON. */
export type PlatformRequest = Omit<RequestInit, 'body' | 'headers'> & {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** @param options.dataDir kept after `close` when given. */
export async function startPlatform(
  options: {
    dataDir?: string;
    limits?: { single: number; many: number };
    workerUrl?: URL;
    /** Names of secrets that no span may show. */
    hidden?: readonly string[];
    /** The database of its traces. */
    traces?: TeamTraces;
    /** The object store of their large payloads. */
    objects?: OpenTraceObjects;
  } = {},
): Promise<Platform> {
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'agent-harbor-platform-')));
  const logger = makeLogger({ level: process.env.TEST_LOG ?? 'silent' });
  const state = await openStateDatabase(dataDir);
  const identity = new Identity(state);
  const { organizationId, workspaceId } = await identity.findDefaultWorkspace();
  const key = await identity.createKey({
    organizationId,
    workspaceIds: [workspaceId],
    name: 'test',
    grant: EVERYTHING,
  });
  await identity.setOwner([key], 'the test');
  const changes = new ChangeFeed();
  const router = new Router();
  const origin = await Origin.listen(
    0,
    dispatcher({
      router,
      logger,
      cors: () => loopbackOnly,
      bodyLimit: 64 * 1024 * 1024,
      authenticate: (request, credentials) => identity.authenticate(request.headers, credentials),
    }),
  );
  const database = options.traces ?? (await tracesDatabaseFor(dataDir));
  const tracing = new Tracing({
    dataDir,
    ...(database === undefined ? {} : { database }),
    objects: options.objects ?? traceObjectsForTests(),
    baseUrl: () => origin.url,
    changes,
    logger,
    workerUrl: options.workerUrl ?? (await bundledWorker()),
    hiddenNames: () => Promise.resolve(options.hidden ?? []),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  await tracing.open();
  await tracing.mount(router);
  const deletion = new WorkspaceDeletion(state, identity, (request) => tracing.purgeWorkspace(request));
  await deletion.resume(logger);
  router.mount(identityTable, identityHandlers(new IdentityAdministration(state, identity), deletion), [
    '',
    '/api/v1',
  ]);
  const workspace = { id: workspaceId, key };
  return {
    url: origin.url,
    dataDir,
    tracing,
    identity,
    changes,
    workspace,
    fetch: (route, init = {}) => request(origin.url, workspace, route, init),
    newWorkspace: () => newWorkspace(identity, state, organizationId),
    close: async () => {
      await origin.close();
      await tracing.close();
      await state.destroy();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** Imported when it is needed, because a process that gets its worker has no bundler. */
async function bundledWorker(): Promise<URL> {
  const { serverBundles } = await import('./server-bundles.ts');
  return (await serverBundles()).tracesWorker;
}

/** A request as a workspace's key. */
export function request(
  url: string,
  workspace: Workspace,
  route: string,
  init: PlatformRequest = {},
): Promise<Response> {
  const { body, headers, ...rest } = init;
  if (body instanceof Blob || body instanceof URLSearchParams) throw new TypeError('It would be sent as {}.');
  const plain = body instanceof Uint8Array || typeof body === 'string' || body instanceof FormData;
  return fetch(`${url}${route}`, {
    ...rest,
    headers: {
      'x-api-key': workspace.key,
      ...(body !== undefined && !plain ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: plain ? body : JSON.stringify(body) }),
  });
}

async function newWorkspace(
  identity: Identity,
  state: StateDatabase,
  organizationId: string,
): Promise<Workspace> {
  const id = crypto.randomUUID();
  // Not created by the API, which would also give the key of `fetch` access to it.
  await state
    .insertInto('workspaces')
    .values({ id, organization_id: organizationId, name: id, created_at: new Date().toISOString() })
    .execute();
  return {
    id,
    key: await identity.createKey({ organizationId, workspaceIds: [id], name: id, grant: EVERYTHING }),
  };
}
