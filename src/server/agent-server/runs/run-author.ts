import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../../../contract/fields.ts';
import type { Caller } from '../../identity/caller.ts';
import type { HttpConfig } from '../../runtimes/project-config.ts';

/** What the request that asks for a run adds to the run's `config.configurable`. */
export interface RunAuthor {
  readonly configurable: JsonObject;
  /** Metadata of a thread that is made for the run. */
  readonly threadMetadata: JsonObject;
}

export type AuthorOf = (call: { headers: IncomingHttpHeaders; caller: Caller }) => RunAuthor;

/** For runs that no request asked for, such as those of crons. */
export const NOBODY: RunAuthor = { configurable: {}, threadMetadata: {} };

/** Credentials never reach a graph. */
const NEVER = new Set(['x-api-key', 'x-tenant-id', 'x-service-key', 'authorization', 'cookie']);

/**
 * Headers `x-*` and `user-agent`, or those that `http.configurable_headers` chooses; and who is calling, for projects
 * with custom authentication (public facts, C.4).
 */
export function authorOf(
  { headers, caller }: { headers: IncomingHttpHeaders; caller: Caller },
  selection: HttpConfig['configurable_headers'],
): RunAuthor {
  const chosen = Object.entries(headers).filter(
    ([name, value]) => typeof value === 'string' && isChosen(name, selection),
  );
  const user = caller.user;
  return {
    threadMetadata: { ...caller.owned },
    configurable: {
      ...Object.fromEntries(chosen),
      ...(user === undefined
        ? {}
        : {
            langgraph_auth_user: user.fields,
            langgraph_auth_user_id: user.identity,
            langgraph_auth_permissions: user.permissions,
          }),
    },
  };
}

function isChosen(name: string, selection: HttpConfig['configurable_headers']): boolean {
  if (NEVER.has(name) && !(selection?.includes ?? []).includes(name)) return false;
  if (matchesAny(name, selection?.excludes ?? [])) return false;
  if (matchesAny(name, selection?.includes ?? [])) return true;
  return selection?.includes == null && (name.startsWith('x-') || name === 'user-agent');
}

/** `*` stands for anything. */
function matchesAny(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const source = pattern
      .toLowerCase()
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*');
    return new RegExp(`^${source}$`).test(name);
  });
}
