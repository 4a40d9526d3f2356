import * as vscode from 'vscode';
import { samePath } from '../../project/paths.ts';
import { walk } from '../dialogs/steps.ts';
import type { DeployPlan } from './deploy-plan.ts';
import { askForImage } from './questions/ask-for-image.ts';
import { askForName } from './questions/ask-for-name.ts';
import { chooseConfig } from './questions/choose-config.ts';
import { chooseConnection } from './questions/choose-connection.ts';
import { chooseSource, keepSource } from './questions/choose-source.ts';
import { chooseTarget } from './questions/choose-target.ts';
import { chooseType } from './questions/choose-type.ts';
import { chooseVariables } from './questions/choose-variables.ts';
import { confirm } from './questions/confirm.ts';
import { inspectFolder } from './questions/inspect-folder.ts';
import type { DeployDraft, DeployWizardOptions, Question, Work } from './questions/question.ts';

const PARTS: readonly (Question | Work)[] = [
  chooseConfig,
  chooseConnection,
  inspectFolder,
  chooseTarget,
  askForName,
  chooseType,
  keepSource,
  chooseSource,
  askForImage,
  chooseVariables,
  confirm,
];

/**
 * Asks what to deploy and where.
 * @returns undefined when canceled
 * @throws ActionableError when the platform cannot be reached, Error when the preset project or connection does not
 * exist
 */
export async function askForPlan(options: DeployWizardOptions): Promise<DeployPlan | undefined> {
  const draft = begin(options);
  if (draft === undefined) return undefined;
  const steps = PARTS.map((part, at) => (canGoBack: boolean) => {
    if (typeof part === 'function') return part(draft, options);
    if (!part.isOpen(draft, options)) return Promise.resolve<'skipped'>('skipped');
    return part.ask(draft, options, { title: titleOf(at, draft, options), canGoBack });
  });
  return (await walk(steps)) ? planOf(draft) : undefined;
}

/**
 * The title with the number of a question, and with the count of all questions once the folder and the
 * platform have been inspected.
 */
function titleOf(at: number, draft: DeployDraft, options: DeployWizardOptions): string {
  const count = (parts: typeof PARTS) =>
    parts.filter((part) => typeof part !== 'function' && part.isOpen(draft, options)).length;
  const number = count(PARTS.slice(0, at)) + 1;
  return draft.state === undefined
    ? vscode.l10n.t('Deploy ({0})', number)
    : vscode.l10n.t('Deploy ({0}/{1})', number, count(PARTS));
}

/** @throws Error when the preset langgraph.json or connection is not there: another one must not take its place */
function begin({ configs, connections, preset }: DeployWizardOptions): DeployDraft | undefined {
  const { configPath, connectionId } = preset;
  const config =
    configPath === undefined ? configs[0] : configs.find(({ uri }) => samePath(uri.fsPath, configPath));
  if (config === undefined && configPath !== undefined)
    throw new Error(vscode.l10n.t('There is no {0} in the open folder.', configPath));
  const connection =
    connectionId === undefined ? connections[0] : connections.find(({ id }) => id === connectionId);
  if (connection === undefined && connectionId !== undefined)
    throw new Error(vscode.l10n.t('This connection has been removed.'));
  if (config === undefined || connection === undefined) return undefined;
  return {
    config,
    connection,
    state: undefined,
    existing: [],
    secrets: undefined,
    target: undefined,
    name: '',
    type: undefined,
    source: { kind: 'folder' },
    variables: undefined,
  };
}

function planOf({ config, connection, target, name, type, source, variables }: DeployDraft): DeployPlan {
  return {
    configPath: config.uri.fsPath,
    connectionId: connection.id,
    name: target?.name ?? name,
    type,
    source,
    variables,
  };
}
