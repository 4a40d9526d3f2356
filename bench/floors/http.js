// The floor for any server on Node: the events of each graph, known beforehand, in one write.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { event, serve } from './serve.js';

const times = (count, make) => Array.from({ length: count }, (_, index) => make(index)).join('');

const known = {
  one_node: event('updates', { increment: { count: 1 } }),
  ten_nodes: times(10, (index) => event('updates', { [`step_${index + 1}`]: { count: index + 1 } })),
  custom_events: times(1_000, (index) => event('custom', { index, text: 'A short line of progress.' })),
  messages: times(200, (index) =>
    event('messages', [
      { type: 'AIMessageChunk', content: `token${index + 1} ` },
      { langgraph_node: 'answer' },
    ]),
  ),
};

serve(Number(process.argv[2]), {
  createThread: randomUUID,
  streamRun: async (_threadId, { assistant_id: graphId }, response) => {
    response.write(event('metadata', { run_id: randomUUID() }));
    if (graphId in known) return response.write(known[graphId]);
    response.write(event('custom', { emitted_at_ns: String(process.hrtime.bigint()) }));
    await sleep(100);
  },
});
