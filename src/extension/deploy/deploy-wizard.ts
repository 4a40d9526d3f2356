import { samePath } from '../../project/paths.ts';
import { walk } from '../dialogs/steps.ts';
import type { DeployPlan } from './deploy-plan.ts';
import { askForImage } from './questions/ask-for-image.ts';
import { askForName } from './questions/ask-for-name.ts';
import { chooseConfig } from './questions/choose-config.ts';
import { chooseConnection } from './questions/choose-connection.ts';
import { chooseSource } from './questions/choose-source.ts';
import { chooseTarget } from './questions/choose-target.ts';
import { chooseType } from './questions/choose-type.ts';
import { chooseVariables } from './questions/choose-variables.ts';
import { confirm } from './questions/confirm.ts';
import { inspectFolder } from './questions/inspect-folder.ts';
import type { DeployDraft, DeployWizardOptions, Question } from './questions/question.ts';

const QUESTIONS: readonly Question[] = [
  chooseConfig,
  chooseConnection,
  inspectFolder,
  chooseTarget,
  askForName,
  chooseType,
  chooseSource,
  askForImage,
  chooseVariables,
  confirm,
];

/**
 * Asks what to deploy where.
 * @returns undefined when canceled
 * @throws ActionableError when the platform cannot be reached
 */
export async function askForPlan(options: DeployWizardOptions): Promise<DeployPlan | undefined> {
  const draft = begin(options);
  if (draft === undefined) return undefined;
  const steps = QUESTIONS.map((question) => (canGoBack: boolean) => question(draft, options, canGoBack));
  return (await walk(steps)) ? planOf(draft) : undefined;
}

function begin({ configs, connections, preset }: DeployWizardOptions): DeployDraft | undefined {
  const config =
    configs.find(({ uri }) => preset.configPath !== undefined && samePath(uri.fsPath, preset.configPath)) ??
    configs[0];
  const connection = connections.find(({ id }) => id === preset.connectionId) ?? connections[0];
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
