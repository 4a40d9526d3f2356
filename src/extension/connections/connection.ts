import type { Disposable, Event } from 'vscode';
import type { Client } from '../../client/client.ts';
import type { Change } from '../../contract/harbor.ts';

/** The state of a connection. */
export type ConnectionState =
  /** Not connected, and not trying. */
  | { readonly status: 'stopped' }
  /** Connecting. `reason` says why an earlier connection was lost. */
  | { readonly status: 'starting'; readonly reason?: string | undefined }
  | { readonly status: 'ready'; readonly client: Client }
  /** The local server exists but does not answer; it may answer again. */
  | { readonly status: 'silent'; readonly error: Error }
  /** The local server could not be started. */
  | { readonly status: 'failed'; readonly error: Error }
  /** A remote platform whose key is not known. */
  | { readonly status: 'signed-out' }
  /** The key or its workspace is no longer accepted. */
  | { readonly status: 'expired'; readonly error: Error }
  /** A remote platform cannot be reached. Connecting is retried while a view is visible. */
  | { readonly status: 'offline'; readonly error: Error };

/** The connection to a platform, local or remote, as views and commands use it. */
export interface PlatformConnection extends Disposable {
  readonly id: string;
  readonly label: string;
  readonly place: 'local' | 'remote';
  /** Whether it is a single agent server, without deployments and traces. */
  readonly isAgentServerOnly: boolean;
  /** Whether it has a key to sign out of. */
  readonly hasKey: boolean;
  readonly state: ConnectionState;
  readonly onDidChangeState: Event<ConnectionState>;
  /** Changes on the platform; never fires for platforms that do not announce them. */
  readonly onDidChange: Event<readonly Change[]>;
  /**
   * Connects unless connected; the local server is started if necessary.
   * @throws ActionableError with a sentence for a person.
   */
  connect(): Promise<Client>;
  /** Ends the connection; the local server ends with it. */
  stop(): Promise<void>;
}
