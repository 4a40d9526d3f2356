import { type CodeAction, CodeActionKind, type Range, type WorkspaceEdit } from 'vscode-languageserver';
import type { Fix, Problem } from '../project/problem.ts';
import { diagnosticOf } from './diagnostics.ts';
import { uriOf } from './paths.ts';

/** The quick fixes for the problems of a range; the first fix of each problem is the preferred one. */
export function quickFixes(problems: readonly Problem[], range: Range): CodeAction[] {
  return problems
    .filter((problem) => touches(problem.range, range))
    .flatMap((problem) =>
      (problem.fixes ?? []).map(
        (fix, index): CodeAction => ({
          title: fix.title,
          kind: CodeActionKind.QuickFix,
          diagnostics: [diagnosticOf(problem)],
          isPreferred: index === 0,
          edit: editOf(fix),
        }),
      ),
    );
}

/** Converts the change of a fix to the form of the language server protocol. */
export function editOf({ change }: Fix): WorkspaceEdit {
  const uri = uriOf(change.file);
  if (change.kind === 'replace')
    return { changes: { [uri]: [{ range: change.range, newText: change.text }] } };
  const top = { line: 0, character: 0 };
  return {
    documentChanges: [
      { kind: 'create', uri, options: { ignoreIfExists: true } },
      {
        textDocument: { uri, version: null },
        edits: [{ range: { start: top, end: top }, newText: change.text }],
      },
    ],
  };
}

function touches(a: Range, b: Range): boolean {
  return !isBefore(a.end, b.start) && !isBefore(b.end, a.start);
}

function isBefore(a: Range['start'], b: Range['start']): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
