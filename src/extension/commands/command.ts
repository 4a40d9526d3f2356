import * as vscode from 'vscode';
import { type RowKind, rowsOfKind } from '../views/selected-rows.ts';

/**
 * A command. `Parts` are those parts of `activation/commands.ts` that it needs. Its arguments depend on the
 * caller: a tree row, an editor, the Command Palette.
 */
export type Command<Parts = unknown> = (parts: Parts, ...args: readonly unknown[]) => Promise<void> | void;

/** Commands by their IDs without the prefix `agentHarbor.`. */
export type Commands<Parts> = Readonly<Record<string, Command<Parts>>>;

/**
 * A command about rows of these kinds, which does nothing if it is called on no such row. It throws an Error
 * while the view is refreshing, because VS Code passes no rows then.
 * @param run gets the row that the command was called on and all selected rows, of these kinds only
 */
export function rowCommand<const Kinds extends readonly RowKind[], Parts>(
  kinds: Kinds,
  run: (
    parts: Parts,
    row: InstanceType<Kinds[number]>,
    rows: readonly InstanceType<Kinds[number]>[],
  ) => Promise<void> | void,
): Command<Parts> {
  return (parts, argument, selected) => {
    const rows = rowsOfKind(kinds, argument, selected);
    if (rows === 'lost') throw refreshingError();
    const [row] = rows;
    return row === undefined ? undefined : run(parts, row, rows);
  };
}

/**
 * Ends a command that the Command Palette also offers, where it would take a default in place of its row.
 * @param args the arguments of the command. The palette passes none.
 * @throws Error if VS Code passed an undefined row, because it is reading that part of the tree again
 */
export function refuseLostRow(args: readonly unknown[]): void {
  if (args.length > 0 && args[0] === undefined) throw refreshingError();
}

/**
 * The error of a command on a row that VS Code does not pass, because it is reading that part of the tree
 * again.
 */
export function refreshingError(): Error {
  return new Error(vscode.l10n.t('The view was refreshing. Run the command again.'));
}
