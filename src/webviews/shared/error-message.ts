import * as l10n from '@vscode/l10n';
import { zodIssues } from '../../terms/zod-issues.ts';

interface ReadableError {
  readonly title: string;
  /** The message, if it is plain text. */
  readonly message: string;
  /** The values that do not match the schema; empty for other errors. */
  readonly issues: readonly { readonly path: string; readonly text: string }[];
}

/** The name of the error that ends a run when its cost cap is reached. */
export const COST_CAP_REACHED = 'CostCapReached';

/** An error in words. Errors of zod, whose message is JSON, become a list of issues. */
export function readableError(name: string, message: string): ReadableError {
  if (name === COST_CAP_REACHED) return { title: l10n.t('Cost cap reached'), message, issues: [] };
  const issues = (/^\$?ZodError$/.test(name) ? zodIssues(message) : []).map((issue) => ({
    path: issue.path,
    text: textOfIssue(issue.message),
  }));
  return issues.length > 0
    ? { title: l10n.t("A value does not match the graph's schema"), message: '', issues }
    : { title: name, message, issues };
}

/** The message of an issue, translated where its form is known. */
function textOfIssue(message: string): string {
  const type = /^Invalid input: expected (.+), received (.+)$/.exec(message);
  if (type !== null) {
    const [, expected = '', received = ''] = type;
    return received === 'undefined'
      ? l10n.t('is required ({0})', expected)
      : l10n.t('must be of type {0}, not {1}', expected, received);
  }
  return message.replace(/^Invalid (?:input|option): /, '');
}
