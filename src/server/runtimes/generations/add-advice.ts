import { asSentence } from '../../../process/as-sentence.ts';
import type { InitializeResult, RuntimeError } from '../../../runtime/protocol/protocol.ts';

/** Appends advice to the error of each graph and extra that failed. */
export async function addAdvice(
  loaded: InitializeResult,
  findAdvice: (error: RuntimeError) => Promise<string | undefined>,
): Promise<InitializeResult> {
  const explained = async (error: RuntimeError): Promise<RuntimeError> => {
    const sentence = await findAdvice(error);
    return sentence === undefined ? error : { ...error, message: joinSentences(error.message, sentence) };
  };
  const graphs = await Promise.all(
    loaded.graphs.map(async (graph) =>
      graph.status === 'failed' ? { ...graph, error: await explained(graph.error) } : graph,
    ),
  );
  if (loaded.failed_extras === undefined) return { ...loaded, graphs };
  const failed_extras = await Promise.all(
    loaded.failed_extras.map(async (extra) => ({ ...extra, error: await explained(extra.error) })),
  );
  return { ...loaded, graphs, failed_extras };
}

function joinSentences(message: string, sentence: string): string {
  return `${asSentence(message)} ${sentence}`;
}
