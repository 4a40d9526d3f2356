import { relative } from 'node:path';
import { Command } from 'commander';
import type { RuntimeState } from '../../contract/harbor.ts';
import { formatCount } from '../../process/format-count.ts';
import type { CheckInput } from '../../project/checks/check-input.ts';
import type { Problem, Severity } from '../../project/problem.ts';
import { configOption, dataDirOption } from '../arguments/arguments.ts';
import { openFolderForCommand } from '../folders/agent-connection.ts';
import { findConfig } from '../folders/open-folder.ts';
import type { Context } from '../terminal/context.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { endWith } from '../terminal/failure.ts';
import { printable } from '../terminal/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface CheckOptions {
  readonly config: string;
  readonly load?: true;
  readonly dataDir?: string;
  readonly json?: true;
}

export function checkCommand(context: Context): Command {
  return new Command('check')
    .description('check a langgraph.json and the files it names; print problems as file:line:column')
    .addOption(configOption())
    .option('--load', "also load the graphs, which runs the project's code")
    .addOption(dataDirOption())
    .option('--json', 'print one line of JSON per problem')
    .action((options: CheckOptions) => check(context, options));
}

async function check(context: Context, options: CheckOptions): Promise<void> {
  const { terminal, environment } = context;
  const file = await findConfig(options.config);
  // This module is imported here because no other command needs the schema and the parsers.
  const { makeJsonService, readConfigDocument } = await import('../../project/config-document.ts');
  const { checkProject } = await import('../../project/checks/check-project.ts');
  const { checkSources } = await import('../../project/checks/check-sources.ts');
  const { checkPythonEnvironment } = await import('../../project/checks/check-python-environment.ts');
  const { findSyntaxErrors: syntaxErrors } = await import('../folders/syntax-errors.ts');
  const { filesOnDisk: files } = await import('../../project/project-files.ts');
  const { readText } = await import('../../project/read-text.ts');
  const config = await readConfigDocument(makeJsonService(), file, await readText(file));
  const runtime = options.load ? await load(context, options, file) : undefined;
  const parse = (sources: readonly string[]) => syntaxErrors(config.dir, environment, sources);
  const problems = await checkProject({ config, files, environment, runtime }, [
    ...(options.load ? [] : [(input: CheckInput) => checkSources(input, parse)]),
    checkPythonEnvironment,
  ]);

  for (const problem of problems) {
    if (options.json) terminal.json(jsonOf(problem));
    else terminal.line(lineOf(problem, terminal));
  }
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (!options.json) {
    const name = relative(process.cwd(), file) || file;
    const sum = summary(problems.length, errors, options.load === true);
    terminal.note(`${name}: ${sum}${uncalledNote(runtime)}.`);
  }
  if (errors > 0) endWith(EXIT.failed);
}

/** Serves the project until its graphs are loaded or have failed to load. */
async function load(context: Context, options: CheckOptions, file: string): Promise<RuntimeState> {
  const opening = { ...options, configPath: file, client: 'agent-harbor check' };
  const { deployment, close } = await openFolderForCommand(context, opening);
  await close();
  return deployment.runtime;
}

/** Formats a problem as `file:line:column: severity: message [code]`, which editors and CI turn into links. */
function lineOf({ file, range, severity, message, code }: Problem, { colors }: Terminal): string {
  const place = `${relative(process.cwd(), file)}:${range.start.line + 1}:${range.start.character + 1}`;
  const paint: Record<Severity, (text: string) => string> = {
    error: colors.red,
    warning: colors.yellow,
  };
  const text = printable(message).replaceAll('\n', ' ');
  return `${place}: ${paint[severity](severity)}: ${text} ${colors.dim(`[${code}]`)}`;
}

function jsonOf({ file, range: { start, end }, severity, message, code }: Problem): object {
  return {
    file,
    line: start.line + 1,
    column: start.character + 1,
    end_line: end.line + 1,
    end_column: end.character + 1,
    severity,
    code,
    message,
  };
}

function summary(problems: number, errors: number, isLoaded: boolean): string {
  if (problems === 0) return `no problems found${isLoaded ? '' : '; graphs not loaded (--load)'}`;
  return `${formatCount(errors, 'error')}, ${formatCount(problems - errors, 'warning')}`;
}

/** A note about graphs that are made by functions, which only runs call; empty if there are none. */
function uncalledNote(runtime: RuntimeState | undefined): string {
  const graphs = runtime?.state === 'ready' ? runtime.graphs : [];
  const made = graphs.flatMap((graph) =>
    graph.status === 'loaded' && graph.is_factory ? [graph.graph_id] : [],
  );
  return made.length === 0 ? '' : `; functions that make a graph were not called: ${made.join(', ')}`;
}
