import { untilAborted } from '../../../process/until-aborted.ts';
import type { StreamMode } from '../../protocol/protocol.ts';
import type { UserLangGraph } from '../langgraph/user-langgraph.ts';
import type { Graph, GraphConfig } from '../langgraph-types.ts';
import type { RunEvents } from '../link/event-outbox.ts';
import { readAhead } from './read-ahead.ts';
import { libraryModes, type StreamEvents } from './stream-events.ts';
import { type Chunk, withTap } from './stream-tap.ts';
import { runTransformers, type TransformerFactory } from './stream-transformers.ts';

/** A graph, its input and config, and where its stream goes. */
export interface GraphStream {
  readonly runId: string;
  /** The graph with the checkpointer of the run. */
  readonly graph: Graph;
  readonly langgraph: UserLangGraph;
  readonly input: unknown;
  /** The config, with the callbacks and the signal of the run. */
  readonly config: GraphConfig;
  readonly modes: readonly StreamMode[];
  /** Whether the client asked for the streams of subgraphs. */
  readonly subgraphs: boolean;
  readonly signal: AbortSignal;
  readonly streamed: StreamEvents;
  readonly events: RunEvents;
}

/**
 * Runs a graph to its end, and streams its output.
 * @throws the error of the graph, or an error for a value that cannot be sent
 */
export async function streamGraph(run: GraphStream): Promise<void> {
  if (run.modes.includes('events')) return streamCallbackEvents(run);
  const transformers = run.modes.includes('extensions') ? (run.graph.streamTransformers ?? []) : [];
  return transformers.length > 0 ? streamTransformed(run, transformers) : streamChunks(run);
}

/** Streams the chunks of the requested modes as the graph pushes them. */
async function streamChunks(run: GraphStream): Promise<void> {
  const { graph, langgraph, input, subgraphs, signal, streamed, events } = run;
  const options = optionsOf(run);
  let failure: { thrown: unknown } | undefined;
  const take = ([namespace, mode, payload]: Chunk): boolean => {
    if (failure !== undefined || signal.aborted) return false;
    try {
      if (options.streamMode.includes(mode)) streamed.sendChunk(subgraphs ? namespace : [], mode, payload);
    } catch (thrown) {
      // The whole run has to fail, not just the node that pushed the chunk.
      failure = { thrown };
    }
    return failure === undefined;
  };
  const module = await langgraph.importModule('@langchain/core/utils/stream');
  for await (const chunk of await withTap(module, take, () => graph.stream(input, options))) {
    if (failure !== undefined) throw failure.thrown;
    forward(run, chunk);
    if (events.isFull) await events.drain();
  }
}

/** Streams the events of LangChain's callbacks (the mode `events`), which include the chunks of the graph. */
async function streamCallbackEvents(run: GraphStream): Promise<void> {
  const { graph, input, runId, streamed, events } = run;
  for await (const batch of readAhead(graph.streamEvents(input, { ...optionsOf(run), version: 'v2' }))) {
    for (const event of batch) {
      if (event.tags?.includes('langsmith:hidden')) continue;
      if (event.event === 'on_chain_stream' && event.run_id === runId) forward(run, event.data.chunk);
      else streamed.sendEvent(event);
      if (events.isFull) await events.drain();
    }
  }
}

/** Streams the requested modes, and the output of the graph's own transformers. */
async function streamTransformed(
  run: GraphStream,
  transformers: readonly TransformerFactory[],
): Promise<void> {
  const { graph, langgraph, input, signal, streamed, events } = run;
  const options = { ...optionsOf(run), version: 'v3', subgraphs: true };
  async function* forwarded() {
    for await (const batch of readAhead(await graph.stream(input, options))) {
      for (const chunk of batch) {
        forward(run, chunk);
        yield chunk;
        if (events.isFull) await events.drain();
      }
    }
  }
  const emit = streamed.sendExtension.bind(streamed);
  await untilAborted(runTransformers(transformers, langgraph, forwarded(), emit), signal);
}

function optionsOf({ config, modes, subgraphs }: GraphStream) {
  return { ...config, subgraphs, streamMode: libraryModes(modes) };
}

/** Passes a chunk on. It begins with a namespace only if the chunks of subgraphs were requested. */
function forward({ subgraphs, streamed }: GraphStream, chunk: unknown): void {
  // LangGraph only streams arrays, because it is given a list of modes.
  if (!Array.isArray(chunk)) return;
  const [namespace, mode, payload] = subgraphs ? chunk : [[], ...chunk];
  streamed.sendChunk(namespace, mode, payload);
}
