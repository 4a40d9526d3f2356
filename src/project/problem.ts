import type { Range } from 'vscode-json-languageservice';

export type Severity = 'error' | 'warning';

/** A problem of a project, with its location. */
export interface Problem {
  /** Absolute. */
  readonly file: string;
  readonly range: Range;
  readonly severity: Severity;
  /** Names the kind of problem; docs/langgraph-json.md lists them. */
  readonly code: ProblemCode;
  /** One sentence that also says what to do. */
  readonly message: string;
  /** A related location. */
  readonly related?: { readonly file: string; readonly range: Range; readonly message: string } | undefined;
  /** Best first. */
  readonly fixes?: readonly Fix[];
}

export type ProblemCode =
  | 'syntax'
  | 'schema'
  | 'unknown-key'
  | 'file-missing'
  | 'export-missing'
  | 'not-a-graph'
  | 'language'
  | 'env-file'
  | 'env-variable'
  | 'dependency'
  | 'load';

/** An edit that fixes a problem. */
export interface Fix {
  readonly title: string;
  readonly change:
    | { readonly kind: 'replace'; readonly file: string; readonly range: Range; readonly text: string }
    | { readonly kind: 'create'; readonly file: string; readonly text: string };
}

/** A range of lines and columns that count from 0. */
export function range(startLine: number, startColumn: number, endLine: number, endColumn: number): Range {
  return {
    start: { line: startLine, character: startColumn },
    end: { line: endLine, character: endColumn },
  };
}

/** The range from a position, which counts from 1 as runtimes report it, to the end of its line. */
export function rangeOfPlace(text: string | undefined, line: number, column = 1): Range {
  const row = Math.max(0, line - 1);
  const content = text?.split('\n')[row]?.trimEnd() ?? '';
  const first = column > 1 ? column - 1 : content.length - content.trimStart().length;
  return range(row, Math.min(first, content.length), row, Math.max(content.length, first));
}
