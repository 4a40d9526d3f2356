import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { readTraceTree } from '../../../client/trace-tree.ts';
import { formatCount } from '../../../process/format-count.ts';
import { ifPresent } from '../../../process/if-present.ts';
import { exportTrace } from '../../../trace-files/export-trace.ts';
import { importTraces } from '../../../trace-files/import-traces.ts';
import { readTraceFile } from '../../../trace-files/read-trace-file.ts';
import { TraceFileError } from '../../../trace-files/trace-file-error.ts';
import { idArgument } from '../../arguments/json-arguments.ts';
import type { Context } from '../../terminal/context.ts';
import { Failure } from '../../terminal/failure.ts';
import { writeOutput } from '../../terminal/write-output.ts';
import { addPlatformOptions, type PlatformOptions, withPlatform } from '../../tracing/platform.ts';

interface ImportOptions extends PlatformOptions {
  readonly project?: string;
}

export function importCommand(context: Context): Command {
  const command = new Command('import')
    .description(
      'import traces from a file: OTLP as JSON or JSON Lines, Copilot Chat files, LangSmith and Langfuse exports',
    )
    .argument('<file>', 'file; - reads standard input')
    .option('--project <name>', 'tracing project of traces that name none (default: "default")');
  return addPlatformOptions(command).action((file: string, options: ImportOptions) =>
    withPlatform(context, options, async (client) => {
      const { interrupted: signal, terminal } = context;
      const content = file === '-' ? await text(context.stdin) : await ifPresent(readFile(file, 'utf8'));
      if (content === undefined) throw new Failure(`File not found: ${file}.`);
      const { spans, traces, refused } = await importTraces(client, readTraces(content), {
        project: options.project,
        signal,
      });
      if (options.json) terminal.json({ spans, traces, refused });
      else terminal.note(`Imported ${formatCount(spans, 'span')} of ${formatCount(traces, 'trace')}.`);
      if (refused.length > 0) throw new Failure(`Some traces could not be imported: ${refused.join(' ')}`);
    }),
  );
}

function readTraces(content: string) {
  try {
    return readTraceFile(content);
  } catch (error) {
    throw error instanceof TraceFileError ? new Failure(error.message) : error;
  }
}

interface ExportOptions extends PlatformOptions {
  readonly output?: string;
}

export function exportCommand(context: Context): Command {
  const command = new Command('export')
    .description('export a trace as OTLP in JSON, to standard output or a file')
    .argument('<id>', 'trace ID')
    .option('--output <file>', 'file');
  return addPlatformOptions(command).action((id: string, options: ExportOptions) =>
    withPlatform(context, options, async (client) => {
      const { interrupted: signal, terminal } = context;
      const traceId = idArgument('trace', id);
      // A missing trace is reported before a file is made.
      await readTraceTree(client, traceId, { signal });
      const pieces = exportTrace(client, traceId, { signal });
      if (options.output === undefined) await terminal.data(pieces);
      else {
        await writeOutput(options.output, pieces);
        terminal.note(`Wrote ${options.output}.`);
      }
    }),
  );
}
