import type { Grant } from './grant.ts';

/** The caller, determined once per request and passed to every handler. */
export interface Caller {
  readonly organizationId: string;
  /**
   * The workspace of the request, to which every row that it reads or writes belongs; empty, like the
   * organization, for a request that needs none.
   */
  readonly workspaceId: string;
  readonly by:
    | { readonly kind: 'api-key'; readonly keyId: string }
    /** A short-lived token that the key was exchanged for. */
    | { readonly kind: 'bearer'; readonly keyId: string }
    /**
     * A caller of a deployment that requires no key, such as the agent of an open folder, or a project's own
     * code.
     */
    | { readonly kind: 'loopback' }
    /** A caller of an endpoint that requires no key. */
    | { readonly kind: 'anonymous' };
  /** The rights and projects of the caller's key; absent if no key is required. */
  readonly grant?: Grant;
  /** Whether the caller uses the machine's own key, which has access beyond a workspace. */
  readonly isOwner?: boolean;
  /** Whether the request comes from a deployment's container. */
  readonly isFromContainer?: boolean;
  /** Set when a project's own `auth` identified the caller. */
  readonly user?: {
    readonly identity: string;
    readonly permissions: readonly string[];
    readonly fields: Readonly<Record<string, unknown>>;
  };
  /** The run whose code has made the request. */
  readonly runId?: string;
  /** Metadata that a project's own `auth` adds to resources that this request creates. */
  readonly ownerMetadata?: Readonly<Record<string, unknown>>;
}

/** The ID of the key that a caller used, or exchanged for a token; undefined for a caller without a key. */
export function keyIdOf({ by }: Pick<Caller, 'by'>): string | undefined {
  return by.kind === 'api-key' || by.kind === 'bearer' ? by.keyId : undefined;
}

/** The name under which a caller's requests are counted against a limit: its key, or else its workspace. */
export function limitedAs(caller: Pick<Caller, 'by' | 'workspaceId'>): string {
  return keyIdOf(caller) ?? caller.workspaceId;
}

/**
 * The projects to which the caller may write spans and feedback; undefined for all projects in the workspace.
 */
export function projectsOf({ grant }: Pick<Caller, 'grant'>): readonly string[] | undefined {
  return grant?.projects;
}

/** The caller as shown in the audit log; null for a caller without a key. */
export function requester(caller: Caller): string | null {
  const keyId = keyIdOf(caller);
  return keyId === undefined ? null : `api-key:${keyId}`;
}
