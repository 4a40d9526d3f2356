import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import type { TtlSettings } from '../../../contract/purging.ts';
import type { ProjectElement } from '../../views/traces.ts';

type Tier = TtlSettings['default_trace_tier'];
const TIERS: readonly Tier[] = ['shortlived', 'longlived'];

/** Asks how long new traces of a project are kept, and sets it unless canceled. */
export async function editProjectRetention(
  client: Client,
  { project }: ProjectElement,
  settings: TtlSettings,
): Promise<void> {
  const own = project.trace_tier ?? undefined;
  const currentLabel =
    own === undefined ? vscode.l10n.t('current (workspace default)') : vscode.l10n.t('current');
  const items = TIERS.map((tier) => ({
    label: tierLabel(tier, settings),
    description: tier === (own ?? settings.default_trace_tier) ? currentLabel : '',
    tier,
  }));
  const title = vscode.l10n.t('Trace Retention for {0}', project.name);
  const placeHolder = vscode.l10n.t('Applies to new traces only. Existing traces keep their retention.');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder });
  if (chosen === undefined) return;
  await client.tracing.sessions.update({
    params: { session_id: project.id },
    body: { trace_tier: chosen.tier },
  });
}

/** Asks for a retention setting of the workspace and its new value, and sets it unless canceled. */
export async function editWorkspaceRetention(client: Client, settings: TtlSettings): Promise<void> {
  const { default_trace_tier, shortlived_ttl_days, longlived_ttl_days } = settings;
  const items = [
    {
      label: vscode.l10n.t('Default for new traces'),
      description: tierLabel(default_trace_tier, settings),
      change: () => askForTier(settings),
    },
    {
      label: vscode.l10n.t('Base retention'),
      description: formatDays(shortlived_ttl_days),
      change: () => askForDays(shortlived_ttl_days, (days) => ({ shortlived_ttl_days: days })),
    },
    {
      label: vscode.l10n.t('Extended retention'),
      description: formatDays(longlived_ttl_days),
      change: () => askForDays(longlived_ttl_days, (days) => ({ longlived_ttl_days: days })),
    },
  ];
  const title = vscode.l10n.t('Trace Retention for the Workspace');
  const placeHolder = vscode.l10n.t('Select what to change. Existing traces keep their retention.');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder });
  const body = await chosen?.change();
  if (body !== undefined) await client.purging.putTtl({ body });
}

async function askForTier(settings: TtlSettings): Promise<{ default_trace_tier: Tier } | undefined> {
  const items = TIERS.map((tier) => ({ label: tierLabel(tier, settings), tier }));
  const title = vscode.l10n.t('Default for new traces');
  const chosen = await vscode.window.showQuickPick(items, { title });
  return chosen && { default_trace_tier: chosen.tier };
}

/** Asks for a number of days. @param changeOf returns the change of the settings for the answer */
async function askForDays<T>(current: number, changeOf: (days: number) => T): Promise<T | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Days to keep traces'),
    value: String(current),
    validateInput: (value) =>
      /^\d{1,5}$/.test(value) && Number(value) > 0 ? undefined : vscode.l10n.t('Enter a number of days.'),
  });
  return text === undefined ? undefined : changeOf(Number(text));
}

function tierLabel(tier: Tier, { shortlived_ttl_days, longlived_ttl_days }: TtlSettings): string {
  return tier === 'shortlived'
    ? vscode.l10n.t('Base: {0}', formatDays(shortlived_ttl_days))
    : vscode.l10n.t('Extended: {0}', formatDays(longlived_ttl_days));
}

function formatDays(count: number): string {
  return count === 1 ? vscode.l10n.t('1 day') : vscode.l10n.t('{0} days', count);
}
