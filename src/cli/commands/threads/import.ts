import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { importThreads, type ThreadImport } from '../../../client/import-threads.ts';
import { RequestError } from '../../../client/request-error.ts';
import type { ArchiveLine } from '../../../client/thread-archive.ts';
import { formatCount } from '../../../process/format-count.ts';
import { ifPresent } from '../../../process/if-present.ts';
import { type ResourceOptions, withAgents } from '../../agents/target.ts';
import { readArchive } from '../../archive/archive-file.ts';
import { readLanggraphDevFolder } from '../../archive/langgraph-dev-folder.ts';
import type { Context } from '../../terminal/context.ts';
import { EXIT } from '../../terminal/exit-codes.ts';
import { explain } from '../../terminal/explain.ts';
import { endWith, Failure } from '../../terminal/failure.ts';

interface ImportOptions extends ResourceOptions {
  readonly ifExists: 'fail' | 'skip' | 'replace';
  readonly newIds?: true;
}

export function importThreadsCommand(context: Context): Command {
  return new Command('import')
    .description('import exported threads, or those of langgraph dev')
    .argument('<source>', 'file written by export, - for standard input, or a .langgraph_api folder')
    .addOption(
      new Option('--if-exists <what>', 'what to do with threads that already exist')
        .choices(['fail', 'skip', 'replace'])
        .default('fail'),
    )
    .option('--new-ids', 'give every thread a new ID')
    .action(async (source: string, options: ImportOptions) => {
      const lines = await readLines(context, source);
      await withAgents(context, options, async (client) => {
        const imports = importThreads(client, lines, {
          signal: context.interrupted,
          ifExists: options.ifExists === 'fail' ? 'raise' : options.ifExists,
          ...(options.newIds ? { newId: randomUUID } : {}),
        });
        const counts = { imported: 0, skipped: 0, failed: 0, existing: 0 };
        for await (const one of imports) {
          counts[one.status]++;
          if (one.error instanceof RequestError && one.error.status === 409) counts.existing++;
          showThread(context, options, one);
        }
        showCounts(context, options, counts);
        if (counts.failed > 0) endWith(EXIT.failed);
      });
    });
}

async function readLines(context: Context, source: string): Promise<AsyncIterable<ArchiveLine>> {
  if (source === '-') return readArchive(source, context.stdin);
  const info = await ifPresent(stat(source));
  if (info === undefined) throw new Failure(`File or folder not found: ${source}.`);
  if (!info.isDirectory()) return readArchive(source, context.stdin);
  return readLanggraphDevFolder(source, { onUnsupported: (sentence) => context.terminal.note(sentence) });
}

function showThread({ terminal }: Context, { json }: ResourceOptions, one: ThreadImport): void {
  const { threadId, archivedId, status, records, error } = one;
  if (json) {
    terminal.json({
      thread_id: threadId,
      ...(archivedId === threadId ? {} : { archived_id: archivedId }),
      status,
      records,
      ...(error === undefined ? {} : { error: explain(error) }),
    });
  } else if (status === 'failed') terminal.failure(`${archivedId}: ${explain(error)}`);
}

/** Notes how many threads were imported. @param counts.existing how many failed because their ID exists */
function showCounts(
  { terminal }: Context,
  { json }: ResourceOptions,
  { imported, skipped, failed, existing }: Record<'imported' | 'skipped' | 'failed' | 'existing', number>,
): void {
  const parts = [`Imported ${formatCount(imported, 'thread')}`];
  if (skipped > 0) parts.push(`skipped ${skipped} that already exist`);
  if (failed > 0) parts.push(`${failed} failed`);
  terminal.note(`${parts.join(', ')}.`);
  if (existing > 0 && !json)
    terminal.note(
      'To import threads that already exist, use --if-exists skip, --if-exists replace or --new-ids.',
    );
}
