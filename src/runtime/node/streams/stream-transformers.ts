import type { UserLangGraph } from '../langgraph/user-langgraph.ts';
import { isRecord, type StreamTransformer } from '../langgraph-types.ts';

/** A value of a transformer, with the name of its extension. */
export interface Extension {
  readonly namespace: readonly string[];
  readonly name: string;
  readonly payload: unknown;
}

export type TransformerFactory = () => StreamTransformer;
type CreateRunStream = (
  source: AsyncIterable<unknown>,
  transformers: readonly TransformerFactory[],
) => AsyncIterable<unknown>;

/** LangGraph's prefix for the events of a transformer's channel. */
const CHANNEL = 'custom:';

/**
 * Runs the transformers that a graph was compiled with (`compile({ transformers })`) on its stream, with
 * LangGraph's own functions. Resolves when the stream and the transformers have ended.
 * @param source the graph's stream of version 3, with subgraphs: chunks `[namespace, mode, payload]`
 * @throws the error of the graph or a transformer
 */
export async function runTransformers(
  factories: readonly TransformerFactory[],
  langgraph: UserLangGraph,
  source: AsyncIterable<unknown>,
  emit: (extension: Extension) => void,
): Promise<void> {
  const { createGraphRunStream } = await langgraph.importModule('@langchain/langgraph');
  if (!isCreateRunStream(createGraphRunStream)) {
    throw new Error('This version of @langchain/langgraph does not support stream transformers.');
  }
  const failures: unknown[] = [];
  /** Custom events of the graph itself, which have the same form as promised values of transformers. */
  const written = new WeakSet<object>();
  async function* watched() {
    for await (const chunk of source) {
      if (Array.isArray(chunk) && chunk[1] === 'custom' && isRecord(chunk[2])) written.add(chunk[2]);
      yield chunk;
    }
  }
  const guarded = factories.map((factory) => () => guard(factory(), failures));
  for await (const event of createGraphRunStream(watched(), guarded)) {
    const extension = extensionOf(event, written);
    if (extension !== undefined) emit(extension);
  }
  if (failures.length > 0) throw failures[0];
}

/** Catches errors of a transformer at the end, after which LangGraph would wait forever. */
function guard(transformer: StreamTransformer, failures: unknown[]): StreamTransformer {
  const { finalize, fail } = transformer;
  if (finalize !== undefined) {
    transformer.finalize = () => {
      try {
        return finalize.call(transformer);
      } catch (error) {
        failures.push(error);
        return undefined;
      }
    };
  }
  if (fail !== undefined) {
    transformer.fail = (error) => {
      try {
        fail.call(transformer, error);
      } catch {
        // The run's own failure is reported.
      }
    };
  }
  return transformer;
}

/** The value of a transformer that an event contains; undefined for other events. */
function extensionOf(event: unknown, written: WeakSet<object>): Extension | undefined {
  if (!isRecord(event) || typeof event.method !== 'string' || !isRecord(event.params)) return undefined;
  const { namespace, data } = event.params;
  const path = Array.isArray(namespace) ? namespace.map(String) : [];
  if (event.method.startsWith(CHANNEL)) {
    return { namespace: path, name: event.method.slice(CHANNEL.length), payload: data };
  }
  if (event.method !== 'custom' || !isRecord(data) || written.has(data)) return undefined;
  return typeof data.name === 'string'
    ? { namespace: path, name: data.name, payload: data.payload }
    : undefined;
}

function isCreateRunStream(value: unknown): value is CreateRunStream {
  return typeof value === 'function';
}
