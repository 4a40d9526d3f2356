// The platform's origin in a separate process: prints `{"url", "key", "dataDir"}` and serves until it is ended.
// `platform-process.ts [data-folder] [bundle of the storage thread] [team's traces as JSON]`
import { pathToFileURL } from 'node:url';
import type { TeamTraces } from '../../src/server/traces-thread/worker-data.ts';
import { startPlatform } from './platform.ts';

const [dataDir, worker, traces] = process.argv.slice(2);
const platform = await startPlatform({
  ...(dataDir === undefined ? {} : { dataDir }),
  ...(worker === undefined ? {} : { workerUrl: pathToFileURL(worker) }),
  ...(traces === undefined ? {} : { traces: JSON.parse(traces) as TeamTraces }),
});
process.stdout.write(
  `${JSON.stringify({ url: platform.url, key: platform.workspace.key, dataDir: platform.dataDir })}\n`,
);
const end = async () => {
  await platform.close();
  process.exit(0);
};
process.once('SIGTERM', end);
process.once('disconnect', end);
