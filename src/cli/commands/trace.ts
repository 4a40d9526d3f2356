import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import { listFeedback } from '../../client/list-feedback.ts';
import { readSpanContents, type SpanContent } from '../../client/span-contents.ts';
import { readSpanErrors } from '../../client/span-outcome.ts';
import { readTraceTree } from '../../client/trace-tree.ts';
import { listTraces } from '../../client/traces.ts';
import type { TraceNode } from '../../contract/tracing/runs.ts';
import { isDictionary } from '../../terms/fields.ts';
import { idArgument } from '../arguments/json-arguments.ts';
import { traceLines } from '../render/trace-tree.ts';
import type { Context } from '../terminal/context.ts';
import { Failure } from '../terminal/failure.ts';
import { withInferred } from '../tracing/inferred-inputs.ts';
import { addPlatformOptions, type PlatformOptions, withPlatform } from '../tracing/platform.ts';
import { chooseProject } from '../tracing/projects.ts';

/** The maximum number of characters of an input or output in a terminal. */
const MAX_CONTENT_LENGTH = 1_000;

/** How many of the newest traces are searched for one that is not an edit of the state. */
const MAX_SEARCHED_TRACES = 20;

interface TraceOptions extends PlatformOptions {
  readonly io?: true;
  readonly project?: string;
}

export function traceCommand(context: Context): Command {
  const command = new Command('trace')
    .description('show a trace as a tree, with its feedback')
    .argument('[id]', 'trace ID, the same as the run ID; last is the newest of its project', 'last')
    .option('--project <name>', 'tracing project of the last trace, as for agent-harbor traces')
    .option('--io', 'show inputs and outputs of every span, and stacks of errors (always in JSON)');
  return addPlatformOptions(command).action((id: string, options: TraceOptions) => {
    const given = id === 'last' ? undefined : idArgument('trace', id);
    return withPlatform(context, options, async (client) => {
      const traceId = given ?? (await findLastTrace(context, client, options));
      await trace(context, client, traceId, options);
    });
  });
}

/** Finds the newest trace that is not an edit of a state, else the newest edit. @throws Failure when there is none */
async function findLastTrace(context: Context, client: Client, options: TraceOptions): Promise<string> {
  const { id: sessionId, name } = await chooseProject(context, client, options);
  const newest = listTraces(
    client,
    { sessionId },
    { signal: context.interrupted, limit: MAX_SEARCHED_TRACES },
  );
  let edit: string | undefined;
  for await (const { id, name: graph = '' } of newest) {
    if (id === undefined) continue;
    // Editing a state makes a trace, too, but users rarely mean it.
    if (!graph.endsWith('UpdateState')) return id;
    edit ??= id;
  }
  if (edit !== undefined) return edit;
  throw new Failure(`No traces in project '${name}'.`);
}

async function trace(
  { terminal, interrupted: signal }: Context,
  client: Client,
  traceId: string,
  options: TraceOptions,
): Promise<void> {
  const root = await readTraceTree(client, traceId, { signal });
  const feedback = await listFeedback(client.tracing, spansWithFeedback(root), signal);
  if (options.json) {
    const contents = await readSpanContents(client, traceId, {
      select: ['inputs', 'outputs', 'error', 'extra', 'tags'],
      signal,
    });
    terminal.json({ ...withContents(root, contents), feedback });
    return;
  }
  const contents = options.io
    ? withInferred(
        root,
        await readSpanContents(client, traceId, { select: ['inputs', 'outputs', 'extra'], signal }),
      )
    : await readSpanContents(client, traceId, { select: ['extra'], runType: 'llm', signal });
  const lines = traceLines(root, feedback, {
    colors: terminal.colors,
    errors: await readSpanErrors(client, root, { signal }),
    contents,
    showStacks: options.io === true,
    maxContentLength: terminal.fitWidth === undefined ? undefined : MAX_CONTENT_LENGTH,
  });
  for (const line of lines) terminal.line(line);
}

/** The IDs of a trace and of the spans below that have feedback. */
function spansWithFeedback(root: TraceNode): string[] {
  const below = (node: TraceNode): string[] =>
    node.child_runs.flatMap((child) => [
      ...(isDictionary(child.feedback_stats) && Object.keys(child.feedback_stats).length > 0
        ? [child.id]
        : []),
      ...below(child),
    ]);
  return [root.id, ...below(root)];
}

function withContents(node: TraceNode, contents: ReadonlyMap<string, SpanContent>): TraceNode {
  return {
    ...node,
    ...contents.get(node.id),
    child_runs: node.child_runs.map((child) => withContents(child, contents)),
  };
}
