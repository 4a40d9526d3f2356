import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../../../contract/fields.ts';
import { objectAt } from '../../../process/objects.ts';
import type { Caller } from '../../http/caller.ts';
import type { HttpConfig } from '../../runtimes/project/project-config.ts';
import { isChosen } from './header-selection.ts';

/** The user of a run, and what the request adds to the run for them. */
export interface RunAuthor {
  /** Fields for the `config.configurable` of the run. */
  readonly configurable: JsonObject;
  /** Metadata for a thread that is created for the run. */
  readonly threadMetadata: JsonObject;
  /** The user, as authenticated by the project's own `auth`. */
  readonly user?: Caller['user'];
  /**
   * Whether the request was stored together with its user, as those of crons are. Other requests cannot name
   * a user.
   */
  readonly isStored?: boolean;
}

/** Reads the author of a request's runs. */
export type AuthorOf = (call: { headers: IncomingHttpHeaders; caller: Caller }) => RunAuthor;

/** The author of runs that no request has just started, such as those of crons. */
export const NOBODY: RunAuthor = { configurable: {}, threadMetadata: {} };

function isForGraphs(name: string): boolean {
  return name.startsWith('x-') || name === 'user-agent';
}

/**
 * The author of a request's runs (docs/interface/agent-server.md#runs). Their `configurable` has the
 * request's headers `x-*` and `user-agent`, or those that `http.configurable_headers` selects, and the user,
 * if there is one.
 */
export function authorOf(
  { headers, caller }: { headers: IncomingHttpHeaders; caller: Caller },
  selection: HttpConfig['configurable_headers'],
): RunAuthor {
  const chosen = Object.entries(headers).filter(
    ([name, value]) => typeof value === 'string' && isChosen(name, selection, isForGraphs),
  );
  const user = caller.user;
  return {
    threadMetadata: {},
    user,
    configurable: {
      ...Object.fromEntries(chosen),
      ...(user === undefined ? {} : userFields(user)),
    },
  };
}

/** The user in a run's config, which neither requests nor handlers can set. */
export function identityFields(user: NonNullable<Caller['user']>): JsonObject {
  return {
    langgraph_auth_user: user.fields,
    langgraph_auth_user_id: user.identity,
    langgraph_auth_permissions: user.permissions,
  };
}

/** The user in a run's config, with the field that handlers can set too. */
function userFields(user: NonNullable<Caller['user']>): JsonObject {
  return { user_id: user.identity, ...identityFields(user) };
}

/** A configurable without the fields that only the project's own `auth` may set. */
export function withoutIdentity(configurable: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(configurable).filter(([name]) => !name.startsWith('langgraph_auth_')),
  );
}

/** The config of an assistant for a request of this user. It never has the user who stored the assistant. */
export function configFor(config: JsonObject, user: Caller['user']): JsonObject {
  if (user === undefined && config.configurable == null) return config;
  const own = user === undefined ? {} : userFields(user);
  return { ...config, configurable: { ...withoutIdentity(objectAt(config, 'configurable')), ...own } };
}
