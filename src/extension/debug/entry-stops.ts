import * as vscode from 'vscode';
import type { SourceLocation } from '../../contract/harbor.ts';
import { whenBound } from './bound-breakpoints.ts';

/** The place for a breakpoint that stops when a function is called. */
function entryOf({ file, line, column = 1, body_line }: SourceLocation): vscode.Location {
  // Python's debugger only knows lines. JavaScript's needs the character after the function's first one,
  // because the function may be assigned to a variable. `column` counts from 1 and positions count from 0, so
  // `column` is the position of that character.
  const [row, character] = body_line === undefined ? [line - 1, column] : [body_line - 1, 0];
  return new vscode.Location(
    vscode.Uri.file(file),
    new vscode.Position(Math.max(0, row), Math.max(0, character)),
  );
}

/**
 * Sets breakpoints where these functions begin, and waits until they are bound.
 * @param sessions the sessions of the processes, which must know the breakpoints before a run begins
 * @returns a disposable that removes the breakpoints
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
