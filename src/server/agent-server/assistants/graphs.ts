import type { Caller } from '../../http/caller.ts';
import { JsonText } from '../../http/reply.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { Generation } from '../../runtimes/generations/generation.ts';
import { parseStored } from '../../storage/stored-json.ts';
import { configFor } from '../auth/run-author.ts';
import type { AssistantRow } from '../data/assistant-store.ts';
import { askGeneration } from '../runtime/ask-runtime.ts';

/** How many answers are cached per generation. Clients choose the config and context of assistants, so there is no natural limit. */
const MAX_ANSWERS = 200;

/**
 * Asks the runtime for the diagrams, schemas and subgraphs of graphs. The answers are cached until the
 * sources are reloaded, for all users, because a graph has the same topology for every user.
 */
export class Graphs {
  readonly #runtime: DeploymentRuntime;
  /** The answers of each generation. They change only with the sources. */
  readonly #cache = new WeakMap<Generation, Map<string, Promise<JsonText>>>();

  constructor(runtime: DeploymentRuntime) {
    this.#runtime = runtime;
  }

  readSchemas(assistant: AssistantRow, user: Caller['user']): Promise<JsonText> {
    return this.#ask(`schemas ${keyOf(assistant)}`, (generation) =>
      generation
        .runtimeOfGraph(assistant.graph_id)
        .use((connection) => connection.request('graph.schemas', graphParams(assistant, user))),
    );
  }

  draw(assistant: AssistantRow, user: Caller['user'], xray: boolean | number): Promise<JsonText> {
    return this.#ask(`draw ${String(xray)} ${keyOf(assistant)}`, (generation) =>
      generation
        .runtimeOfGraph(assistant.graph_id)
        .use((connection) => connection.request('graph.draw', { ...graphParams(assistant, user), xray })),
    );
  }

  listSubgraphs(
    assistant: AssistantRow,
    user: Caller['user'],
    options: { recurse: boolean; namespace?: string },
  ): Promise<JsonText> {
    return this.#ask(`subgraphs ${JSON.stringify(options)} ${keyOf(assistant)}`, (generation) =>
      generation
        .runtimeOfGraph(assistant.graph_id)
        .use((connection) =>
          connection.request('graph.subgraphs', { ...graphParams(assistant, user), ...options }),
        ),
    );
  }

  /** Asks the runtime a question once per generation. @throws HttpError 503 or 400 like `askGeneration` */
  async #ask(key: string, question: (generation: Generation) => Promise<object>): Promise<JsonText> {
    return askGeneration(this.#runtime, async (generation) => {
      let answers = this.#cache.get(generation);
      if (answers === undefined) {
        answers = new Map();
        this.#cache.set(generation, answers);
      }
      const known = answers.get(key);
      if (known !== undefined) {
        // The answer becomes the last, so that the first is the one that was used least recently.
        answers.delete(key);
        answers.set(key, known);
        return await known;
      }
      const answer = question(generation).then((value) => new JsonText(JSON.stringify(value)));
      answers.set(key, answer);
      const [oldest = key] = answers.keys();
      if (answers.size > MAX_ANSWERS) answers.delete(oldest);
      // The caller gets the error, and the next caller tries again.
      answer.catch(() => answers.delete(key));
      return await answer;
    });
  }
}

function keyOf(assistant: AssistantRow): string {
  return JSON.stringify([assistant.graph_id, assistant.config, assistant.context]);
}

function graphParams(assistant: AssistantRow, user: Caller['user']) {
  return {
    graph_id: assistant.graph_id,
    config: configFor(parseStored(assistant.config), user),
    context: parseStored(assistant.context),
  };
}
