// The graphs of `durable.js`: runs each line that it reads, and writes what is to be stored, one line each.
import { createInterface } from 'node:readline';
import { asSent, loadGraphs } from './graphs.js';
import { event } from './serve.js';

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

const { graphs, MemorySaver } = await loadGraphs(process.argv[2]);
/** Stores nothing here, because each run is the first on its thread. */
class SentSaver extends MemorySaver {
  async getTuple() {}

  async put({ configurable: { thread_id, run_id: runId } }, checkpoint, metadata) {
    say({ runId, kept: JSON.stringify({ checkpoint, metadata }) });
    return { configurable: { thread_id, checkpoint_ns: '', checkpoint_id: checkpoint.id, run_id: runId } };
  }

  async putWrites({ configurable: { run_id: runId } }, writes, taskId) {
    say({ runId, kept: JSON.stringify({ taskId, writes }) });
  }
}
const checkpointer = new SentSaver();
for (const graph of Object.values(graphs)) graph.checkpointer = checkpointer;

createInterface(process.stdin).on('line', async (line) => {
  const { runId, threadId, assistant_id: graphId, input, stream_mode: mode } = JSON.parse(line);
  const streamMode = mode === 'messages-tuple' ? 'messages' : mode;
  const convert = asSent[streamMode] ?? ((data) => data);
  const configurable = { thread_id: threadId, run_id: runId };
  for await (const data of await graphs[graphId].stream(input, { streamMode, configurable }))
    say({ runId, kept: event(streamMode, convert(data)), sent: true });
  say({ runId, ended: true });
});
// The first line says that the graphs are loaded.
process.stdout.write('\n');
