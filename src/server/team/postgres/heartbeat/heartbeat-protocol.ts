/** The data that the heartbeat's thread is started with. */
export interface HeartbeatData {
  readonly url: string;
  /** How many units this server stores at once. */
  readonly lanes: number;
  /** One number, which the main thread increments while it works. */
  readonly ticks: SharedArrayBuffer;
  /** One time, see `LastHeartbeat`. */
  readonly heard: SharedArrayBuffer;
}

/** A command of the main thread to the heartbeat: to stop taking over, or to leave and end. */
export type HeartbeatOrder = 'drain' | 'leave';

/** This process is one of the servers now: its number, and how many others there are. */
export interface Joined {
  readonly joined: number;
  readonly others: number;
}

/** A message of the heartbeat to the main thread. */
export type HeartbeatNews =
  /** Sent first: this process is one of the servers, or cannot be. */
  | Joined
  | { readonly failed: string }
  /** The number of other servers at the last beat. */
  | { readonly others: number }
  /** This server has taken over from another one; these have its runs now. */
  | { readonly heirs: ReadonlySet<string> }
  /** Others know that this server no longer takes over, or the database cannot be reached. */
  | { readonly draining: true }
  /** Others have taken over from this one. */
  | { readonly lost: true };

/** How often the main thread increments it. */
export const TICK_MS = 500;
