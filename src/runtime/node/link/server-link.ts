import type { Connection } from '../../protocol/connection.ts';
import type { RuntimeRequests, ServerNotifications, ServerRequests } from '../../protocol/protocol.ts';

export type NoNotifications = Record<never, never>;

/** The connection to the server, seen from a runtime. */
export type ServerConnection = Connection<
  ServerRequests,
  ServerNotifications,
  RuntimeRequests,
  NoNotifications
>;

/** The connection, and a wait for the server to catch up. */
export interface ServerLink {
  readonly connection: ServerConnection;
  /** Resolves when the server has read everything; immediately when it keeps up. */
  caughtUp(): Promise<void>;
}
