import { serveLink } from '../postgres/link/serve-link.ts';
import { postgresTracesMigrations, TRACES_SCHEMA } from './traces-tables.ts';

/** The entry point of the threads that connect to a team's traces. */
await serveLink({ migrations: postgresTracesMigrations, schema: TRACES_SCHEMA });
