import assert from 'node:assert/strict';
import { Client } from '@langchain/langgraph-sdk';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { requirePython } from '../support/python-projects.ts';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { runPythonTests } from './python-tests.ts';
import { Coverage } from './real-sdk.ts';
import { a2aSuite } from './suites/a2a.ts';
import { assistantsSuite } from './suites/assistants.ts';
import { cronsSuite } from './suites/crons.ts';
import { protocolSuite } from './suites/protocol.ts';
import { runsSuite } from './suites/runs.ts';
import { storeSuite } from './suites/store.ts';
import { threadsSuite } from './suites/threads.ts';

describe('the real SDK and two servers on one PostgreSQL', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  let served: ServedProject;
  let other: ServedProject;
  before(async function () {
    postgres = await requirePostgres(this);
    const database = await postgres.createDatabase();
    served = await serveProject({ database });
    other = await serveProject({ database, given: served.project });
  });
  after(async () => {
    await other?.[Symbol.asyncDispose]();
    await served?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });
  let requests = 0;
  /** Sends each request to the server that did not get the one before. */
  const alternate: typeof fetch = (input, init) => {
    const { url } = requests++ % 2 === 0 ? served : other;
    return fetch(String(input).replace(served.url, url), init);
  };
  const client = () =>
    new Client({ apiUrl: served.url, apiKey: 'a-stale-key', callerOptions: { fetch: alternate } });

  assistantsSuite(client);
  threadsSuite(client, '1.15.0');
  runsSuite(client, '1.15.0');
  cronsSuite(client, '1.15.0');
  storeSuite(client);
  protocolSuite(() => served.url, new Coverage());

  it('stream threads and remote graphs to the SDKs of Python', async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    const stderr = await runPythonTests(python, 'python_sdks.py', { AGENT_URL: served.url }, [
      'TheStreamOfAThread',
    ]);
    assert.match(stderr, /\nOK\s*$/, stderr);
  });
  a2aSuite(() => served.url, alternate);
});
