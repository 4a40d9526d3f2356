import * as vscode from 'vscode';
import type { RunFileContents } from './run-file-contents.ts';

/** The maximum number of names that are listed; further ones are counted. */
const MAX_NAMES = 8;
const SHORT_COMMIT = 7;

/**
 * Lists the contents of a run file and what is redacted, one item per line, for the preview before it is
 * saved.
 */
export function describeContents(contents: RunFileContents): string {
  const { head, requests, hosts, states, spans, feedback } = contents;
  const secrets = Object.entries(head?.variables ?? {}).flatMap(([name, value]) =>
    value === null ? [name] : [],
  );
  const lines: readonly (string | undefined)[] = [
    describeGraph(head),
    requests === 1
      ? vscode.l10n.t('1 request with its answer: {0}', namesOf([...hosts]))
      : vscode.l10n.t('{0} requests with their answers: {1}', requests.toLocaleString(), namesOf([...hosts])),
    states === 1
      ? vscode.l10n.t('1 state of the thread')
      : vscode.l10n.t('{0} states of the thread', states.toLocaleString()),
    spans === 1
      ? vscode.l10n.t('1 span of the trace')
      : vscode.l10n.t('{0} spans of the trace', spans.toLocaleString()),
    feedback === 0 ? undefined : vscode.l10n.t('Feedback: {0}', feedback.toLocaleString()),
    '',
    secrets.length === 0
      ? vscode.l10n.t('Credentials in headers and fields are redacted (*).')
      : vscode.l10n.t('Redacted (*): {0}, and headers and fields with credentials.', namesOf(secrets)),
    vscode.l10n.t('Messages are saved unchanged.'),
  ];
  return lines.filter((line) => line !== undefined).join('\n');
}

/** The graph of a run file, and its commit. */
export function describeGraph(head: RunFileContents['head']): string {
  const graph = head?.graph_id ?? '';
  if (head?.git == null) return vscode.l10n.t('Graph {0}', graph);
  const commit = head.git.commit.slice(0, SHORT_COMMIT);
  return head.git.dirty
    ? vscode.l10n.t('Graph {0} at commit {1}, with changes', graph, commit)
    : vscode.l10n.t('Graph {0} at commit {1}', graph, commit);
}

function namesOf(names: readonly string[]): string {
  if (names.length === 0) return vscode.l10n.t('none');
  if (names.length <= MAX_NAMES) return names.join(', ');
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return vscode.l10n.t('{0} and {1} more', shown, names.length - MAX_NAMES);
}
