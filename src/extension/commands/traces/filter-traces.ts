import * as vscode from 'vscode';

import type { TraceFilter } from '../../views/trace-filter.ts';
import { describeFilter, type TraceOptions } from '../../views/trace-options.ts';
import { formatPairs, parsePairs } from '../../wording/metadata-pairs.ts';
import { pairsProblem } from '../arguments/pairs-problem.ts';
import type { Command } from '../command.ts';

interface Kind extends vscode.QuickPickItem {
  /**
   * Asks for one part of the filter. A part with an undefined value removes the condition.
   * @returns undefined when canceled.
   */
  ask(now: TraceFilter): Promise<TraceFilter | undefined>;
}

/** Adds or changes one condition of the Traces view's filter. */
export const filterTraces: Command<{ readonly traceOptions: TraceOptions }> = async ({ traceOptions }) => {
  const now = traceOptions.filter.value;
  const kind = (label: string, icon: string, part: TraceFilter, ask: Kind['ask']): Kind => ({
    label,
    iconPath: new vscode.ThemeIcon(icon),
    description: describeFilter(part),
    ask,
  });
  const { text, status, name, metadata, slowerThanSeconds, feedback } = now;
  const kinds = [
    kind(vscode.l10n.t('Text'), 'search', { text }, askText),
    kind(vscode.l10n.t('Status'), 'pass', { status }, askStatus),
    kind(vscode.l10n.t('Name'), 'tag', { name }, askName),
    kind(vscode.l10n.t('Metadata'), 'symbol-field', { metadata }, askMetadata),
    kind(vscode.l10n.t('Latency'), 'watch', { slowerThanSeconds }, askLatency),
    kind(vscode.l10n.t('Feedback'), 'thumbsup', { feedback }, askFeedback),
  ];
  const title = vscode.l10n.t('Filter Traces');
  const placeHolder = vscode.l10n.t('Add a condition. Existing conditions are kept.');
  const chosen = await vscode.window.showQuickPick(kinds, { title, placeHolder });
  const part = await chosen?.ask(now);
  if (part !== undefined) await traceOptions.narrow(part);
};

/** Asks for the words to look for. */
export async function askText({ text }: TraceFilter): Promise<TraceFilter | undefined> {
  const answer = await vscode.window.showInputBox({
    title: vscode.l10n.t('Search Traces'),
    prompt: vscode.l10n.t('Text in inputs or outputs. Use * at the end of a word as a wildcard.'),
    value: text ?? '',
  });
  return answer === undefined ? undefined : { text: answer.trim() || undefined };
}

async function askStatus(): Promise<TraceFilter | undefined> {
  const items = [
    { label: vscode.l10n.t('Any'), status: undefined },
    { label: vscode.l10n.t('Failed'), status: 'error' },
    { label: vscode.l10n.t('Succeeded'), status: 'success' },
    { label: vscode.l10n.t('Still running'), status: 'pending' },
  ] as const;
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Filter Traces by Status'),
  });
  return chosen && { status: chosen.status };
}

async function askName({ name }: TraceFilter): Promise<TraceFilter | undefined> {
  const answer = await vscode.window.showInputBox({
    title: vscode.l10n.t('Filter Traces by Name'),
    prompt: vscode.l10n.t(
      "Name of the trace, which is the graph's name unless the run sets another. Leave empty for any name.",
    ),
    value: name ?? '',
  });
  return answer === undefined ? undefined : { name: answer.trim() || undefined };
}

async function askMetadata({ metadata }: TraceFilter): Promise<TraceFilter | undefined> {
  const answer = await vscode.window.showInputBox({
    title: vscode.l10n.t('Filter Traces by Metadata'),
    prompt: vscode.l10n.t('Metadata to match. All pairs must match.'),
    placeHolder: 'user=u1 tier=2',
    value: formatPairs(metadata ?? {}),
    validateInput: pairsProblem,
  });
  if (answer === undefined) return undefined;
  const pairs = parsePairs(answer);
  return { metadata: Object.keys(pairs).length === 0 ? undefined : pairs };
}

async function askLatency({ slowerThanSeconds }: TraceFilter): Promise<TraceFilter | undefined> {
  const answer = await vscode.window.showInputBox({
    title: vscode.l10n.t('Filter Traces by Latency'),
    prompt: vscode.l10n.t('Minimum latency in seconds. Leave empty for any.'),
    value: slowerThanSeconds === undefined ? '' : String(slowerThanSeconds),
    validateInput: (value) =>
      value.trim() === '' || Number(value) > 0
        ? undefined
        : vscode.l10n.t('Enter a number of seconds greater than 0.'),
  });
  if (answer === undefined) return undefined;
  return { slowerThanSeconds: answer.trim() === '' ? undefined : Number(answer) };
}

async function askFeedback(): Promise<TraceFilter | undefined> {
  const keys = vscode.workspace.getConfiguration('agentHarbor').get<string[]>('feedbackKeys', []);
  const any = { label: vscode.l10n.t('Any'), feedback: undefined };
  const items = keys
    .flatMap((key) => [{ key, score: 'good' as const }, { key, score: 'bad' as const }, { key }])
    .map((feedback) => ({ label: describeFilter({ feedback }), feedback }));
  const title = vscode.l10n.t('Filter Traces by Feedback');
  const chosen = await vscode.window.showQuickPick([any, ...items], { title });
  return chosen && { feedback: chosen.feedback };
}
