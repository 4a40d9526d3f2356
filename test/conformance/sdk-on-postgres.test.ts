import { Client } from '@langchain/langgraph-sdk';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { Coverage } from './real-sdk.ts';
import { assistantsSuite } from './suites/assistants.ts';
import { cronsSuite } from './suites/crons.ts';
import { protocolSuite } from './suites/protocol.ts';
import { runsSuite } from './suites/runs.ts';
import { storeSuite } from './suites/store.ts';
import { threadsSuite } from './suites/threads.ts';

describe('the real SDK and a server on PostgreSQL', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  let served: ServedProject;
  before(async function () {
    postgres = await requirePostgres(this);
    served = await serveProject({ database: await postgres.createDatabase() });
  });
  after(async () => {
    await served?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });
  const client = () => new Client({ apiUrl: served.url, apiKey: 'a-stale-key' });

  assistantsSuite(client);
  threadsSuite(client, '1.15.0');
  runsSuite(client, '1.15.0');
  cronsSuite(client, '1.15.0');
  storeSuite(client);
  protocolSuite(() => served.url, new Coverage());
});
