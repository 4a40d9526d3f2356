import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { eachPage } from '../../client/each-page.ts';
import type { CallOptions } from '../../client/transport.ts';
import type { Context } from '../terminal/context.ts';
import { type Column, table } from './table.ts';

export interface PageOptions {
  readonly limit: number;
  readonly offset: number;
  readonly all?: true;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The total count, if the server reports it. */
  readonly total: number | undefined;
}

export function addPageOptions(command: Command, defaultLimit = 20): Command {
  return command
    .option('--limit <number>', 'maximum number of results', countArgument, defaultLimit)
    .option('--offset <number>', 'number of results to skip', countArgument, 0)
    .option('--all', 'all results');
}

export function countArgument(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Must be a whole number from 0, such as 20.');
}

/** Reads as many pages as the options ask for. @param pageSize the most results that the server returns at once */
export async function readPages<Row>(
  { limit, offset, all }: PageOptions,
  pageSize: number,
  read: (
    page: { limit: number; offset: number },
    options: Pick<CallOptions, 'onAnswer'>,
  ) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const rows: Row[] = [];
  let total: number | undefined;
  const onAnswer: CallOptions['onAnswer'] = ({ header }) => {
    const count = header('x-pagination-total');
    if (count !== undefined && /^\d+$/.test(count)) total = Number(count);
  };
  // Some rows have no ID, such as namespaces.
  const idOf = (row: Row) => JSON.stringify(row);
  const pages = eachPage({ idOf, pageSize, from: offset, ...(!all && { limit }) }, (page) =>
    read(page, { onAnswer }),
  );
  for await (const page of pages) rows.push(...page);
  return { rows, total };
}

/** Prints a page as a table or a JSON array. Standard error says whether there is more. */
export function showPage<Row>(
  { terminal }: Context,
  page: Page<Row>,
  columns: readonly Column<Row>[],
  options: { readonly json?: true | undefined; readonly offset?: number; readonly empty: string },
): void {
  const { rows, total } = page;
  if (options.json) {
    terminal.json(rows);
    return;
  }
  if (rows.length === 0) {
    terminal.note(options.empty);
    return;
  }
  for (const line of table(columns, rows, { width: terminal.fitWidth, colors: terminal.colors })) {
    terminal.line(line);
  }
  const seen = (options.offset ?? 0) + rows.length;
  if (total !== undefined && total > seen) {
    terminal.note(
      terminal.errorColors.dim(`Showing ${rows.length} of ${total}. Use --offset ${seen} to see more.`),
    );
  }
}
