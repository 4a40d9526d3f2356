// The cost of a run without a server around it: graphs and checkpoints are in this process and its memory.
import { randomUUID } from 'node:crypto';
import { asSent, loadGraphs } from './graphs.js';
import { event, serve } from './serve.js';

const [port, project] = process.argv.slice(2);
const { graphs, MemorySaver } = await loadGraphs(project);
const checkpointer = new MemorySaver();
for (const graph of Object.values(graphs)) graph.checkpointer = checkpointer;

serve(Number(port), {
  createThread: randomUUID,
  streamRun: async (threadId, { assistant_id: graphId, input, stream_mode: mode }, response) => {
    response.write(event('metadata', { run_id: randomUUID() }));
    const streamMode = mode === 'messages-tuple' ? 'messages' : mode;
    const convert = asSent[streamMode] ?? ((data) => data);
    const chunks = await graphs[graphId].stream(input, { streamMode, configurable: { thread_id: threadId } });
    for await (const data of chunks) response.write(event(streamMode, convert(data)));
  },
});
