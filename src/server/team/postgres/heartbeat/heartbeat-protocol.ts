/** The data with which the heartbeat's thread is started. */
export interface HeartbeatData {
  readonly url: string;
  /** How many units this server stores at once. */
  readonly lanes: number;
  /** A single number, which the main thread increments while it works. */
  readonly ticks: SharedArrayBuffer;
  /** A single number: the time at which the last answered heartbeat was sent, see `LastHeartbeat`. */
  readonly heard: SharedArrayBuffer;
}

/** A command from the main thread to the heartbeat: to stop taking over, or to leave and end. */
export type HeartbeatOrder = 'drain' | 'leave';

/** The process has joined the servers: its number, and how many others there are. */
export interface Joined {
  readonly joined: number;
  readonly others: number;
}

/** A message from the heartbeat to the main thread. */
export type HeartbeatNews =
  /** Sent first: the process has joined the servers, or cannot join them. */
  | Joined
  | { readonly failed: string }
  /** The number of other servers at the last beat. */
  | { readonly others: number }
  /** This server has taken over from another one, whose runs now belong to these servers. */
  | { readonly heirs: ReadonlySet<string> }
  /** Others know that this server no longer takes over, or the database cannot be reached. */
  | { readonly draining: true }
  /** Others have taken over from this one. */
  | { readonly lost: true };

/** The interval at which the main thread increments `ticks`. */
export const TICK_MS = 500;
