import { relative } from 'node:path';
import type {
  GraphStatus,
  LiveDeployment,
  LogLine,
  RuntimeProgram,
  SourceLocation,
} from '../../contract/harbor.ts';
import { type Colors, printable } from '../terminal.ts';

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
  return printable(`${name} (${executable}, ${origin}), ${langgraph}`);
}

/** Graphs of a file that failed to load share one line. */
function graphLines(graphs: readonly GraphStatus[], colors: Colors): string[] {
  const reason = (graph: GraphStatus) =>
    graph.status === 'failed' ? failureSentence(graph.error) : graph.graph_id;
  return [...Map.groupBy(graphs, reason).values()].map((alike) => graphLine(alike, colors));
}

function graphLine(graphs: readonly GraphStatus[], colors: Colors): string {
  const names = graphs.map(({ graph_id }) => colors.bold(printable(graph_id))).join(', ');
  const [graph] = graphs;
  if (graph?.status === 'failed') return `${colors.red('✗')} ${names} ${failureSentence(graph.error)}`;
  const where = graph?.location === undefined ? '' : colors.dim(`  ${placeOf(graph.location)}`);
  const description = graph?.description === undefined ? '' : `  ${printable(graph.description)}`;
  return `${colors.green('✓')} ${names}${description}${where}`;
}

/** A message after its location, unless the message already contains it. */
export function failureSentence({
  message,
  location,
}: {
  readonly message: string;
  readonly location?: SourceLocation | undefined;
}): string {
  const text = printable(message);
  if (location === undefined || text.includes(`${location.file}:${location.line}`)) return text;
  return `${placeOf(location)}: ${text}`;
}

/** `src/agent.ts:3:7`; a path outside the current folder stays absolute. */
export function placeOf({ file, line, column }: SourceLocation): string {
  const short = relative(process.cwd(), file);
  const name = short.startsWith('..') ? file : short;
  return column === undefined ? `${name}:${line}` : `${name}:${line}:${column}`;
}

/** A line of a deployment's log: time, level where it matters, message. */
export function logText({ timestamp, level, message }: LogLine, colors: Colors): string {
  const time = colors.dim(new Date(timestamp).toTimeString().slice(0, 8));
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
