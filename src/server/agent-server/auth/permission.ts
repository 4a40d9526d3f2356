import type { Endpoint } from '../../../contract/endpoint.ts';

/** The resource and action passed to auth handlers (public SDK, `Auth.on`). */
export interface Permission {
  readonly resource: 'assistants' | 'threads' | 'crons' | 'store';
  readonly action: string;
}

const BY_METHOD: Readonly<Record<string, string>> = {
  GET: 'read',
  POST: 'update',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

/** @returns undefined for endpoints of the server itself. */
export function permissionOf({ method, path }: Endpoint): Permission | undefined {
  if (path.startsWith('/store/')) return { resource: 'store', action: storeAction(method, path) };
  if (path.includes('/runs/crons'))
    return { resource: 'crons', action: actionOf(method, path, '/runs/crons') };
  if (path.startsWith('/assistants')) {
    return { resource: 'assistants', action: assistantAction(method, path) };
  }
  if (path.startsWith('/threads') || path.startsWith('/runs')) {
    return { resource: 'threads', action: threadAction(method, path) };
  }
  if (path.startsWith('/harbor/threads')) {
    return { resource: 'threads', action: method === 'POST' ? 'create' : 'read' };
  }
  if (path.startsWith('/harbor/nodes')) {
    const actions = { input: 'read', keep: 'update', run: 'create_run' };
    const [, action] = Object.entries(actions).find(([name]) => path.endsWith(`/${name}`)) ?? [];
    return { resource: 'threads', action: action ?? 'create_run' };
  }
  if (path.startsWith('/harbor/graphs')) return { resource: 'assistants', action: 'read' };
  if (path.startsWith('/mcp') || path.startsWith('/a2a'))
    return { resource: 'threads', action: 'create_run' };
  return undefined;
}

function storeAction(method: string, path: string): string {
  if (path.endsWith('/search')) return 'search';
  if (path.endsWith('/namespaces')) return 'list_namespaces';
  return method === 'PUT' ? 'put' : method === 'DELETE' ? 'delete' : 'get';
}

function assistantAction(method: string, path: string): string {
  if (path.endsWith('/versions')) return 'read';
  return actionOf(method, path, '/assistants');
}

function threadAction(method: string, path: string): string {
  if (method === 'POST' && /\/runs(?:\/(?:stream|wait|batch))?$|\/commands$/.test(path)) return 'create_run';
  if (path.endsWith('/stream/events') || path.endsWith('/history') || path.endsWith('/state/checkpoint')) {
    return 'read';
  }
  if (path.endsWith('/prune')) return 'delete';
  if (path.endsWith('/copy')) return 'create';
  return actionOf(method, path, '/threads');
}

function actionOf(method: string, path: string, collection: string): string {
  if (path.endsWith('/search') || path.endsWith('/count')) return 'search';
  if (method === 'POST' && path.endsWith(collection)) return 'create';
  return BY_METHOD[method] ?? 'read';
}
