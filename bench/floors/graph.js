// The cost of a run without a server around it: the graphs in this very process, checkpoints in its memory.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { event, serve } from './serve.js';

const [port, project] = process.argv.slice(2);
const config = JSON.parse(await readFile(path.join(project, 'langgraph.json'), 'utf8'));
const load = (file) => import(pathToFileURL(path.join(project, file)).href);

const { MemorySaver } = await load('memory-saver.js');
const checkpointer = new MemorySaver();
const graphs = {};
for (const [id, location] of Object.entries(config.graphs)) {
  const [file, name] = location.split(':');
  graphs[id] = (await load(file))[name];
  graphs[id].checkpointer = checkpointer;
}

/** Messages travel as plain dictionaries, not in the form `JSON.stringify` gives them. */
const asSent = {
  messages: ([message, metadata]) => [
    { type: message.type, content: message.content, id: message.id },
    metadata,
  ],
};

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
