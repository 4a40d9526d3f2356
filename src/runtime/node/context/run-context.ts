import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuthUser } from '../../protocol/protocol.ts';
import { isRecord } from '../langgraph-types.ts';

/** The run that code belongs to, and the user for whom it runs. */
export interface Initiator {
  readonly run_id?: string;
  /** Set by the project's `auth`. */
  readonly user?: AuthUser;
}

/** The run that the current code belongs to, and the user who requested it. */
export class RunContext {
  readonly #storage = new AsyncLocalStorage<Initiator>();

  within<Result>(initiator: Initiator, work: () => Result): Result {
    return this.#storage.run(initiator, work);
  }

  get initiator(): Initiator {
    return this.#storage.getStore() ?? {};
  }

  get runId(): string | undefined {
    return this.initiator.run_id;
  }
}

/** The user that a run's `configurable` names, in the fields that the server writes. */
export function userOf(configurable: unknown): AuthUser | undefined {
  if (!isRecord(configurable)) return undefined;
  const {
    langgraph_auth_user_id: identity,
    langgraph_auth_user: fields,
    langgraph_auth_permissions: permissions,
  } = configurable;
  if (typeof identity !== 'string') return undefined;
  return {
    identity,
    permissions: Array.isArray(permissions) ? permissions.map(String) : [],
    fields: isRecord(fields) ? fields : {},
  };
}
