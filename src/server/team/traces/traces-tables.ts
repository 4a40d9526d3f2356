import { traces } from './migrations/0001-traces.ts';
import { objects } from './migrations/0002-objects.ts';
import { refusedSpans } from './migrations/0003-refused-spans.ts';
import { purgedTraces } from './migrations/0004-purged-traces.ts';
import { limitedFeedback } from './migrations/0005-limited-feedback.ts';
import { noPayloadStatistics } from './migrations/0006-no-payload-statistics.ts';
import { prices } from './migrations/0007-prices.ts';
import { earlyLogs } from './migrations/0008-early-logs.ts';

/** The schema of the tables. The functions of the storage layer are in the schema of the state. */
export const TRACES_SCHEMA = 'harbor_traces';

/** The settings with which statements find the tables, and the functions of the storage layer. */
export const TRACES_SETTINGS = { search_path: `${TRACES_SCHEMA},"$user",public` };

/** Every migration of a team's traces, in order; a released one is never changed. */
export const postgresTracesMigrations = {
  '0001-traces': traces,
  '0002-objects': objects,
  '0003-refused-spans': refusedSpans,
  '0004-purged-traces': purgedTraces,
  '0005-limited-feedback': limitedFeedback,
  '0006-no-payload-statistics': noPayloadStatistics,
  '0007-prices': prices,
  '0008-early-logs': earlyLogs,
};
