import type { Disposable, Event } from 'vscode';
import type { Client } from '../../client/client.ts';
import type { Change } from '../../contract/harbor.ts';

/** Where a connection stands. */
export type ConnectionState =
  | { readonly status: 'stopped' }
  /** On its way, or on its way back: then `reason` says why it was lost. */
  | { readonly status: 'starting'; readonly reason?: string | undefined }
  | { readonly status: 'ready'; readonly client: Client }
  | { readonly status: 'failed'; readonly error: Error };

/** A platform that the views and commands drive: the local server, and in time remote ones behind the same interface. */
export interface PlatformConnection extends Disposable {
  readonly id: string;
  readonly label: string;
  readonly state: ConnectionState;
  readonly onDidChangeState: Event<ConnectionState>;
  /** What has changed on the platform, as it changes. */
  readonly onDidChange: Event<readonly Change[]>;
  /**
   * Connects unless connected; the local server is started when it is not there.
   * @throws LaunchError, or an Error with a sentence for a person.
   */
  connect(): Promise<Client>;
  /** Ends the connection; the local server ends with it. */
  stop(): Promise<void>;
}
