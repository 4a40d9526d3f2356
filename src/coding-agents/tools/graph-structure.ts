import { z } from 'zod';
import type { GraphStatus } from '../../contract/harbor.ts';
import { bounded, fitting } from '../bounded.ts';
import { placeText } from '../places.ts';
import { defineTool } from '../tool.ts';
import type { ServedDeployment } from '../tool-context.ts';

const Graph = z.object({
  graph: z.string(),
  description: z.string().optional(),
  place: z.string().optional(),
  failed: z.string().optional().describe('Why it does not load'),
  nodes: z.array(z.object({ name: z.string(), place: z.string().optional() })),
  edges: z.array(z.object({ from: z.string(), to: z.string(), conditional: z.boolean().optional() })),
  input_schema: z.unknown().optional(),
});

const Node = z.looseObject({ id: z.coerce.string() });
const Edge = z.looseObject({
  source: z.coerce.string(),
  target: z.coerce.string(),
  conditional: z.boolean().optional().catch(undefined),
});

export const graphStructure = defineTool({
  name: 'graph_structure',
  title: 'Graph Structure',
  description:
    'Loads the graphs of the project and shows their nodes with file and line, edges, and input schema, or why a graph does not load.',
  effect: 'replays',
  input: z.object({ graph: z.string().optional().describe('Name in langgraph.json; all by default') }),
  output: z.object({
    graphs: z.array(Graph),
    left_out: z.array(z.string()).optional().describe('Graphs that did not fit; ask for each by name'),
  }),
  async run(context, { graph: wanted }) {
    const folder = await context.folder();
    await using deployment = await context.deployment();
    const chosen = deployment.graphs.filter(({ graph_id }) => wanted === undefined || graph_id === wanted);
    if (wanted !== undefined && chosen.length === 0) {
      const names = deployment.graphs.map(({ graph_id }) => graph_id).join(', ');
      const others = names === '' ? 'The deployment has no graphs.' : `Graphs: ${names}.`;
      throw new Error(`There is no graph '${wanted}'. ${others}`);
    }
    const graphs: z.input<typeof Graph>[] = [];
    for (const status of chosen) {
      graphs.push(
        status.status === 'failed'
          ? describeFailed(status, folder)
          : await describeLoaded(deployment, status, { folder, signal: context.signal }),
      );
    }
    const shown = fitting(graphs);
    const leftOut = graphs.slice(shown.length).map(({ graph }) => graph);
    return { graphs: shown, ...(leftOut.length > 0 && { left_out: leftOut }) };
  },
});

function describeFailed(
  { graph_id, error }: Extract<GraphStatus, { status: 'failed' }>,
  folder: string | undefined,
): z.input<typeof Graph> {
  const { name, message, location } = error;
  return {
    graph: graph_id,
    nodes: [],
    edges: [],
    failed: String(bounded(`${name}: ${message}`, 1_000)),
    place: location && placeText(location, folder),
  };
}

async function describeLoaded(
  deployment: ServedDeployment,
  status: Extract<GraphStatus, { status: 'loaded' }>,
  { folder, signal }: { readonly folder: string | undefined; readonly signal: AbortSignal },
): Promise<z.input<typeof Graph>> {
  const { graph_id, description, location: place } = status;
  const { assistants } = deployment.client;
  const params = { assistant_id: graph_id };
  const located = { ...(await deployment.locateNodes(graph_id)), ...status.nodes };
  const { nodes, edges } = await assistants.graph({ params }, { signal });
  const { input_schema } = await assistants.schemas({ params }, { signal });
  return {
    graph: graph_id,
    description,
    place: place && placeText(place, folder),
    nodes: nodes.map((node) => {
      const { id: name } = Node.parse(node);
      const location = located[name];
      return { name, place: location && placeText(location, folder) };
    }),
    edges: edges.map((edge) => {
      const { source: from, target: to, conditional } = Edge.parse(edge);
      return { from, to, ...(conditional ? { conditional } : {}) };
    }),
    input_schema: bounded(input_schema, 1_500),
  };
}
