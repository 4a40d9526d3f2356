import { parentPort, workerData } from 'node:worker_threads';
import { connectionOptions } from '../connection-options.ts';
import { databaseProblem } from '../database-problem.ts';
import { Heartbeat } from './heartbeat.ts';
import type { HeartbeatData, HeartbeatNews, HeartbeatOrder } from './heartbeat-protocol.ts';
import { LastHeartbeat } from './last-heartbeat.ts';
import { MainThread } from './main-thread.ts';

/** The entry point of the thread that sends a server's heartbeat, however busy its main thread is. */
const port = parentPort;
if (port === null) throw new Error('Start this file as a worker thread.');
const tell = (news: HeartbeatNews) => port.postMessage(news);
const { url, lanes, ticks, heard } = workerData as HeartbeatData;
try {
  const heartbeat = await Heartbeat.join({
    config: connectionOptions(url, 'agent-harbor'),
    lanes,
    main: new MainThread(ticks),
    heard: new LastHeartbeat(heard),
    tell,
  });
  port.on('message', (order: HeartbeatOrder) => {
    if (order === 'leave') void heartbeat.leave().then(() => port.close());
    else void heartbeat.drain().then(() => tell({ draining: true }));
  });
} catch (error) {
  tell({ failed: databaseProblem(error, url).message });
}
