import type { assistants as assistantEndpoints } from '../../../contract/agent-server/assistants.ts';
import { invalid } from '../../http/errors.ts';
import { pageHeaders } from '../../http/page-headers.ts';
import { Reply } from '../../http/reply.ts';
import type { Handlers } from '../../http/router.ts';
import type { Assistants } from '../assistants/assistants.ts';
import type { Graphs } from '../assistants/graphs.ts';
import type { CustomAuthentication } from '../auth/custom-auth.ts';
import type { Threads } from '../threads/threads.ts';

/**
 * Handlers for assistants, their versions, and descriptions of graphs
 * (docs/interface/agent-server.md#assistants). The id of a graph means its default assistant. The handlers
 * throw 404 for a missing assistant, 409 for an existing id, and 503 while the graphs do not answer.
 */
export function assistantHandlers(
  assistants: Assistants,
  graphs: Graphs,
  threads: Threads,
  auth: Pick<CustomAuthentication, 'askForFilters'>,
): Handlers<typeof assistantEndpoints> {
  return {
    create: ({ body }) => assistants.create(body),
    search: async ({ body }) => {
      const { items, total } = await assistants.search(body);
      const select = body.select;
      const chosen =
        select == null
          ? items
          : items.map((item) => Object.fromEntries(select.map((field) => [field, item[field]])));
      return new Reply(chosen, { headers: pageHeaders(body, items.length, total) });
    },
    count: ({ body }) => assistants.count(body),
    get: ({ params }) => assistants.get(params.assistant_id),
    update: ({ params, body }) => assistants.update(params.assistant_id, body),
    delete: async ({ params, query, caller }) => {
      const { assistant_id } = await assistants.resolve(params.assistant_id);
      if (query.delete_threads) {
        const deleting = { on: 'threads', action: 'delete' } as const;
        await threads.deleteByAssistant(assistant_id, await auth.askForFilters(caller.user, deleting, {}));
      }
      await assistants.delete(assistant_id);
      return undefined;
    },
    versions: ({ params, body }) =>
      assistants.listVersions(params.assistant_id, { ...body, metadata: body.metadata ?? {} }),
    setLatest: ({ params, query, body }) => {
      const version = body.version ?? query.version;
      if (version === undefined) throw invalid(['body', 'version'], 'Field required', 'missing');
      return assistants.setLatest(params.assistant_id, version);
    },
    graph: async ({ params, query, caller }) =>
      graphs.draw(await assistants.resolve(params.assistant_id), caller.user, query.xray),
    schemas: async ({ params, caller }) =>
      graphs.readSchemas(await assistants.resolve(params.assistant_id), caller.user),
    subgraphs: async ({ params, query, caller }) =>
      graphs.listSubgraphs(await assistants.resolve(params.assistant_id), caller.user, {
        recurse: query.recurse,
      }),
    subgraphsOf: async ({ params, query, caller }) =>
      graphs.listSubgraphs(await assistants.resolve(params.assistant_id), caller.user, {
        recurse: query.recurse,
        namespace: params.namespace,
      }),
  };
}
