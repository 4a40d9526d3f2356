import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The graphs of a project, and the checkpointer of their LangGraph.
 *
 * @param {string} project its folder
 */
export async function loadGraphs(project) {
  const config = JSON.parse(await readFile(path.join(project, 'langgraph.json'), 'utf8'));
  const load = (file) => import(pathToFileURL(path.join(project, file)).href);
  const { MemorySaver } = await load('memory-saver.js');
  const graphs = {};
  for (const [id, location] of Object.entries(config.graphs)) {
    const [file, name] = location.split(':');
    graphs[id] = (await load(file))[name];
  }
  return { graphs, MemorySaver };
}

/** Messages travel as plain dictionaries, not in the form `JSON.stringify` gives them. */
export const asSent = {
  messages: ([message, metadata]) => [
    { type: message.type, content: message.content, id: message.id },
    metadata,
  ],
};
