import type { RuntimeState } from '../../contract/harbor.ts';
import type { RuntimeSource } from '../runtimes/generations/runtime-source.ts';
import type { LogBook } from '../runtimes/output/log-book.ts';
import type { DeploymentIdentity } from './agent-server-options.ts';

/** A deployment to serve. */
export interface ServedDeployment extends DeploymentIdentity {
  /** The name, also of its tracing project. */
  readonly name: string;
  readonly source: RuntimeSource;
  readonly log: LogBook;
  /** The key with which its runtime sends traces. */
  readonly tracingKey: string;
  /** Whether a request needs a key of the workspace. */
  requiresKey(): boolean;
  /** A network address to listen on besides loopback. */
  readonly host?: string | undefined;
  /**
   * The URL for clients, if it is not the address that the server listens on; every request then needs a
   * key.
   */
  readonly publicUrl?: string | undefined;
  onRuntimeState(state: RuntimeState): void;
}
