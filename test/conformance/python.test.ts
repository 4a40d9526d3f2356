import { requirePython, servablePythonProject } from '../support/python-projects.ts';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { Coverage, sdks } from './real-sdk.ts';
import { assistantsSuite } from './suites/assistants.ts';
import { cronsSuite } from './suites/crons.ts';
import { protocolSuite } from './suites/protocol.ts';
import { runsSuite } from './suites/runs.ts';
import { storeSuite } from './suites/store.ts';
import { threadsSuite } from './suites/threads.ts';

for (const sdk of await sdks()) {
  describe(`the real SDK ${sdk.version} on Python graphs`, function () {
    this.timeout(60_000);
    let served: ServedProject;
    const coverage = new Coverage();
    const client = () => sdk.make({ apiUrl: served.url, apiKey: 'a-stale-key' });

    before(async function () {
      const python = await requirePython(this, 'langgraph-1.2');
      served = await serveProject({ given: await servablePythonProject(python) });
    });
    after(() => served?.[Symbol.asyncDispose]());

    assistantsSuite(client);
    threadsSuite(client, sdk.version);
    runsSuite(client, sdk.version);
    cronsSuite(client, sdk.version);
    storeSuite(client);
    if (sdk.version === '1.15.0') protocolSuite(() => served.url, coverage);
  });
}
