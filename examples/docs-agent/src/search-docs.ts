import { type ToolRuntime, tool } from '@langchain/core/tools';
import * as z from 'zod';
import type { CorpusShelf } from './corpus/corpus.ts';
import { type ContextSchema, settingsOf } from './settings.ts';
import type { Search } from './state.ts';

export type SearchTool = ReturnType<typeof createSearchTool>;

/** The agent's one tool: full-text search over the folder of Markdown that the context names. */
export function createSearchTool(shelf: CorpusShelf) {
  return tool(
    async ({ query }, runtime: ToolRuntime<unknown, typeof ContextSchema>): Promise<Search> => {
      const { docs_dir, max_passages } = settingsOf(runtime.context);
      const corpus = await shelf.open(docs_dir);
      const search = corpus.search(query, max_passages);
      runtime.writer?.({
        type: 'retrieved',
        query,
        files_searched: corpus.files.length,
        confidence: search.confidence,
        sources: search.passages.map((passage) => passage.source),
      });
      return search;
    },
    {
      name: 'search_docs',
      description:
        'Searches the documents. Returns the passages that fit best, each with the source to cite.',
      schema: z.object({ query: z.string().describe('The key words to look for') }),
    },
  );
}
