/** Who is calling, decided once for a request and handed to every handler. */
export interface Caller {
  readonly organizationId: string;
  /** The workspace the request works in; every row read or written belongs to it. */
  readonly workspaceId: string;
  readonly by:
    | { readonly kind: 'api-key'; readonly keyId: string }
    /** A short-lived token that the key was exchanged for. */
    | { readonly kind: 'bearer'; readonly keyId: string }
    /** The live workspace agent, which asks for no key. */
    | { readonly kind: 'loopback' }
    | { readonly kind: 'anonymous' };
  /** It came with the key of the machine's own clients, which reaches beyond a workspace. */
  readonly isOwner?: boolean;
  /** Set when a project's own `auth` said who it is. */
  readonly user?: {
    readonly identity: string;
    readonly permissions: readonly string[];
    readonly fields: Readonly<Record<string, unknown>>;
  };
  /** The run whose own code makes the request. */
  readonly runId?: string;
  /** Metadata that everything made by this request gets, by the filters of a project's own `auth`. */
  readonly owned?: Readonly<Record<string, unknown>>;
  /** What the metadata of anything must be for this request to see it, by the same. */
  readonly filters?: Readonly<Record<string, unknown>>;
}

/** The key a caller came with, or exchanged for its token; undefined for one without. */
export function keyIdOf({ by }: Pick<Caller, 'by'>): string | undefined {
  return by.kind === 'api-key' || by.kind === 'bearer' ? by.keyId : undefined;
}

/** Who asked, as far as the audit log tells it. */
export function requester(caller: Caller): string | null {
  const keyId = keyIdOf(caller);
  return keyId === undefined ? null : `api-key:${keyId}`;
}
