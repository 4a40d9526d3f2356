import { type Diagnostic, DiagnosticSeverity } from 'vscode-languageserver';
import type { Problem, Severity } from '../project/problem.ts';
import { normalPath, uriOf } from './paths.ts';
import type { Projects } from './projects.ts';

const SEVERITIES: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
};

/** How long to wait after a change, because each keystroke is one. */
const SETTLE_MS = 150;

export interface DiagnosticsParts {
  readonly projects: Projects;
  readonly publish: (uri: string, diagnostics: Diagnostic[]) => void;
  /** Called when a check fails. */
  readonly failed: (error: unknown) => void;
  /** Whether syntax errors are reported, too. Editors with JSON support report these themselves. */
  readonly reportsSyntax: () => boolean;
}

/** Checks the projects after changes, and publishes the problems of each file. */
export class Diagnostics {
  readonly #parts: DiagnosticsParts;
  #problems = new Map<string, Problem[]>();
  #timer: NodeJS.Timeout | undefined;
  #checking = false;
  #again = false;

  constructor(parts: DiagnosticsParts) {
    this.#parts = parts;
  }

  /** The problems that the last check found in a file. */
  of(file: string): readonly Problem[] {
    return this.#problems.get(file) ?? [];
  }

  /** Checks as soon as nothing has changed for a moment. */
  refresh(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#check().catch(this.#parts.failed);
    }, SETTLE_MS);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  async #check(): Promise<void> {
    if (this.#checking) {
      this.#again = true;
      return;
    }
    this.#checking = true;
    try {
      const { projects } = this.#parts;
      const found = (await Promise.all(projects.files.map((file) => projects.check(file)))).flat();
      this.#publish(found.filter(({ code }) => code !== 'syntax' || this.#parts.reportsSyntax()));
    } finally {
      this.#checking = false;
      if (this.#again) {
        this.#again = false;
        this.refresh();
      }
    }
  }

  #publish(problems: readonly Problem[]): void {
    const before = this.#problems;
    this.#problems = new Map([...before.keys()].map((file) => [file, []]));
    for (const problem of problems) {
      const file = normalPath(problem.file);
      this.#problems.set(file, [...(this.#problems.get(file) ?? []), problem]);
    }
    for (const [file, inFile] of this.#problems) {
      this.#parts.publish(uriOf(file), inFile.map(diagnosticOf));
      // If the file no longer has problems, the empty list has just been published, and the file can be
      // forgotten.
      if (inFile.length === 0) this.#problems.delete(file);
    }
  }
}

/** Converts a problem to the form of the language server protocol. */
export function diagnosticOf({ range, severity, code, message, related }: Problem): Diagnostic {
  return {
    range,
    severity: SEVERITIES[severity],
    source: 'Agent Harbor',
    code,
    message,
    ...(related === undefined
      ? {}
      : {
          relatedInformation: [
            { location: { uri: uriOf(related.file), range: related.range }, message: related.message },
          ],
        }),
  };
}
