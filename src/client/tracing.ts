import { feedback } from '../contract/tracing/feedback.ts';
import { feedbackConfigs } from '../contract/tracing/feedback-configs.ts';
import { info } from '../contract/tracing/info.ts';
import { prices } from '../contract/tracing/prices.ts';
import { rules } from '../contract/tracing/rules.ts';
import { runGroups, runQueries } from '../contract/tracing/run-queries.ts';
import { runs } from '../contract/tracing/runs.ts';
import { sessions } from '../contract/tracing/sessions.ts';
import { sharing } from '../contract/tracing/sharing.ts';
import { bind, type Calls } from './calls.ts';
import { platformAddress } from './connection.ts';
import type { EventStream } from './event-stream.ts';
import { type Otlp, otlp } from './otlp.ts';
import type { Transport } from './transport.ts';

/** Traces, the projects they are grouped in, and the feedback on them. */
export interface Tracing {
  readonly runs: Calls<typeof runs>;
  /** Run queries in the v2 form. */
  readonly runQueries: Calls<typeof runQueries>;
  /** The older form of conversations. */
  readonly runGroups: Calls<typeof runGroups>;
  readonly sessions: Calls<typeof sessions>;
  readonly feedback: Calls<typeof feedback>;
  readonly feedbackConfigs: Calls<typeof feedbackConfigs>;
  /** The price lists from which costs are computed. */
  readonly prices: Calls<typeof prices>;
  /** Rules that extend the retention of traces. */
  readonly rules: Calls<typeof rules>;
  /** Links to traces and datasets. */
  readonly sharing: Calls<typeof sharing>;
  readonly info: Calls<typeof info>;
  readonly otlp: Otlp;
}

/** @param baseUrl the address of the platform */
export function tracing(transport: Transport, baseUrl: string): Tracing {
  const options = {
    transport,
    address: (path: string) => platformAddress(baseUrl, path),
    // These streams are not read again after a lost connection.
    stream: (first: EventStream) => first,
  };
  return {
    runs: bind(runs, options),
    runQueries: bind(runQueries, options),
    runGroups: bind(runGroups, options),
    sessions: bind(sessions, options),
    feedback: bind(feedback, options),
    feedbackConfigs: bind(feedbackConfigs, options),
    prices: bind(prices, options),
    rules: bind(rules, options),
    sharing: bind(sharing, options),
    info: bind(info, options),
    otlp: otlp(transport, baseUrl),
  };
}
