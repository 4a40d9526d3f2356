import { feedback } from '../contract/tracing/feedback.ts';
import { info } from '../contract/tracing/info.ts';
import { runQueries } from '../contract/tracing/run-queries.ts';
import { runs } from '../contract/tracing/runs.ts';
import { sessions } from '../contract/tracing/sessions.ts';
import { bind, type Calls } from './calls.ts';
import { platformAddress } from './connection.ts';
import type { EventStream } from './event-stream.ts';
import type { Transport } from './transport.ts';

/** Traces, the projects they are grouped in, and the feedback on them. */
export interface Tracing {
  readonly runs: Calls<typeof runs>;
  /** The second form of run queries. */
  readonly runQueries: Calls<typeof runQueries>;
  readonly sessions: Calls<typeof sessions>;
  readonly feedback: Calls<typeof feedback>;
  readonly info: Calls<typeof info>;
}

export function tracing(transport: Transport, baseUrl: string): Tracing {
  const options = {
    transport,
    address: (path: string) => platformAddress(baseUrl, path),
    stream: (first: EventStream) => first,
  };
  return {
    runs: bind(runs, options),
    runQueries: bind(runQueries, options),
    sessions: bind(sessions, options),
    feedback: bind(feedback, options),
    info: bind(info, options),
  };
}
