import type { GraphStatus, LiveDeployment, LogLine, RuntimeProgram } from '../../contract/harbor.ts';
import { dateOf } from '../../terms/times.ts';
import type { Colors } from '../terminal/colors.ts';
import { printable } from '../terminal/printable.ts';
import { failureSentence, placeOf, shownPath } from './places.ts';

/** The graphs of a deployment, or why there are none, one per line. */
export function runtimeLines({ runtime }: LiveDeployment, colors: Colors): string[] {
  switch (runtime.state) {
    case 'ready':
      return [
        ...(runtime.runtimes ?? []).map((program) => colors.dim(programLine(program))),
        ...graphLines(runtime.graphs, colors),
      ];
    case 'failed':
      return [`${colors.red('✗')} ${failureSentence(runtime)}`];
    case 'starting':
      return [colors.dim('loading graphs…')];
    case 'stopped':
      return [colors.dim('stopped')];
  }
}

/** Lines about graphs that fail now, and graphs that no longer fail. */
export function changedLines(
  before: LiveDeployment['runtime'],
  now: LiveDeployment['runtime'],
  colors: Colors,
): string[] {
  if (now.state === 'failed') return [`${colors.red('✗')} ${failureSentence(now)}`];
  if (now.state !== 'ready') return [];
  const failedBefore = (graphId: string) =>
    before.state !== 'ready' ||
    before.graphs.some(({ graph_id, status }) => graph_id === graphId && status === 'failed');
  const news = now.graphs.filter(({ status, graph_id }) => status === 'failed' || failedBefore(graph_id));
  return graphLines(news, colors);
}

/**
 * Names the other clients that serve the folder, such as `VS Code` or `another terminal (process 4711)`; `undefined`
 * without any.
 */
export function otherHolders({ holders = [] }: LiveDeployment, own: string): string | undefined {
  const names = holders
    .filter((holder) => holder !== own)
    .map((holder) => {
      const [, kind, pid] = /^(vscode|agent-harbor)-(\d+)$/.exec(holder) ?? [];
      if (kind === 'vscode') return 'VS Code';
      return pid === undefined ? 'another program' : `another terminal (process ${pid})`;
    });
  return names.length === 0 ? undefined : [...new Set(names)].join(' and ');
}

const NAMES: Readonly<Record<string, string>> = { node: 'Node', python: 'Python' };

/** `Python 3.12.1 (/…/.venv/bin/python, /…/.venv), LangGraph 1.2.22` */
function programLine({
  language,
  language_version,
  executable,
  origin,
  langgraph_version,
}: RuntimeProgram): string {
  const name = `${NAMES[language] ?? language} ${language_version}`;
  const langgraph = langgraph_version === '' ? 'no LangGraph' : `LangGraph ${langgraph_version}`;
  return `${name} (${executable}, ${origin}), ${langgraph}`;
}

/** Graphs of a file that failed to load share one line. */
function graphLines(graphs: readonly GraphStatus[], colors: Colors): string[] {
  const reason = (graph: GraphStatus) =>
    graph.status === 'failed' ? failureSentence(graph.error) : graph.graph_id;
  return [...Map.groupBy(graphs, reason).values()].map((alike) => graphLine(alike, colors));
}

function graphLine(graphs: readonly GraphStatus[], colors: Colors): string {
  const names = graphs.map(({ graph_id }) => colors.bold(graph_id)).join(', ');
  const [graph] = graphs;
  if (graph?.status === 'failed') return `${colors.red('✗')} ${names} ${failureSentence(graph.error)}`;
  const where = graph?.location === undefined ? '' : colors.dim(`  ${placeOf(graph.location)}`);
  const description = graph?.description === undefined ? '' : `  ${graph.description}`;
  return `${colors.green('✓')} ${names}${description}${where}`;
}

/** `Loading the graphs of apps/agents/langgraph.json…` */
export function loadingSentence(configPath: string): string {
  return `Loading the graphs of ${shownPath(configPath)}…`;
}

/** A line of a deployment's log: time, level where it matters, message. */
export function logText({ timestamp, level, message }: LogLine, colors: Colors): string {
  const time = colors.dim(dateOf(timestamp)?.toTimeString().slice(0, 8) ?? String(timestamp));
  const text = printable(message).trimEnd();
  switch (level) {
    case 'ERROR':
    case 'CRITICAL':
      return `${time} ${colors.red(text)}`;
    case 'WARNING':
      return `${time} ${colors.yellow(text)}`;
    case 'DEBUG':
      return `${time} ${colors.dim(text)}`;
    case 'INFO':
      return `${time} ${text}`;
  }
}
