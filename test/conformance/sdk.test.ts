import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectRoot } from '../support/cache.ts';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { Coverage, clientNames, methodsOf, sdks } from './real-sdk.ts';
import { assistantsSuite } from './suites/assistants.ts';
import { cronsSuite } from './suites/crons.ts';
import { protocolSuite } from './suites/protocol.ts';
import { runsSuite } from './suites/runs.ts';
import { storeSuite } from './suites/store.ts';
import { threadsSuite } from './suites/threads.ts';

/** The generator of docs/compatibility.md reads these results. */
const REPORT = path.join(projectRoot, 'test-results', 'conformance.json');

const report: Record<string, Record<string, string[]>> = {};

for (const sdk of await sdks()) {
  describe(`the real SDK ${sdk.version}`, function () {
    this.timeout(60_000);
    let served: ServedProject;
    const coverage = new Coverage();
    const client = () =>
      coverage.watch(
        sdk.make({ apiUrl: served.url, apiKey: 'a-stale-key', callerOptions: { fetch: coverage.fetch } }),
      );

    before(async () => {
      served = await serveProject();
    });
    after(async () => {
      report[sdk.version] = coverage.routes();
      await served[Symbol.asyncDispose]();
    });

    assistantsSuite(client);
    threadsSuite(client, sdk.version);
    runsSuite(client, sdk.version);
    cronsSuite(client, sdk.version);
    storeSuite(client);
    if (sdk.version === '1.15.0') protocolSuite(() => served.url, coverage);

    describe('all suites together', () => {
      it('call every method of the SDK', () => {
        const known = client();
        const missing = clientNames.flatMap((name) =>
          methodsOf(known[name])
            .map((method) => `${name}.${method}`)
            .filter((method) => coverage.routes()[method] === undefined),
        );
        assert.deepEqual(missing, []);
      });
    });
  });
}

after(async () => {
  await mkdir(path.dirname(REPORT), { recursive: true });
  await writeFile(REPORT, JSON.stringify(report, null, 2));
});
