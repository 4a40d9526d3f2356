import { serveLink } from '../storage/postgres/link/serve-link.ts';
import { traces } from '../tracing/database/postgres/migrations/0001-traces.ts';
import { TRACES_SCHEMA } from '../tracing/database/postgres/postgres-traces.ts';

/** Every migration of a team's traces, in order; a released one is never changed. */
const migrations = { '0001-traces': traces };

await serveLink({ migrations, schema: TRACES_SCHEMA });
