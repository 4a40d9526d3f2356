import * as vscode from 'vscode';
import type { SourceLocation } from '../../contract/harbor.ts';
import { whenBound } from './bound-breakpoints.ts';

/** The place at which a debugger stops when a function is called. */
export function entryOf({ file, line, column = 1, body_line }: SourceLocation): vscode.Location {
  // JavaScript's debugger takes the first place behind the function's beginning, at which a variable is given the
  // function; Python's knows lines only.
  const position = body_line === undefined ? [line - 1, column] : [body_line - 1, 0];
  const [row = 0, character = 0] = position;
  return new vscode.Location(
    vscode.Uri.file(file),
    new vscode.Position(Math.max(0, row), Math.max(0, character)),
  );
}

/**
 * Has the debugger stop at these places once: their breakpoints are removed when the returned is disposed of.
 * @param sessions those of the processes, that have to know of the breakpoints before a run begins.
 */
export async function stopAt(
  places: readonly SourceLocation[],
  sessions: () => Iterable<vscode.DebugSession>,
): Promise<vscode.Disposable> {
  const breakpoints = places.map((place) => new vscode.SourceBreakpoint(entryOf(place), true));
  vscode.debug.addBreakpoints(breakpoints);
  await whenBound(breakpoints, sessions);
  return new vscode.Disposable(() => vscode.debug.removeBreakpoints(breakpoints));
}
