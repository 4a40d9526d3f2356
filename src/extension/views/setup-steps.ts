import path from 'node:path';
import * as vscode from 'vscode';
import type { InstallChoice, LackingEnv, RuntimeState } from '../../contract/harbor.ts';
import type { Config } from '../deployments/configs.ts';
import { lackingProgram } from '../projects/package-installer.ts';
import type { TreeElement } from './tree.ts';

/** The progress of a step of setting up a project. */
type StepState = 'to do' | 'busy' | 'done';

/** The setup of a project, as a window knows it. */
export interface Setup {
  /** Whether its dependencies are being installed in a terminal of this window. */
  readonly isInstalling: boolean;
  /** Whether it could not be run before, and has not been run since. */
  readonly isUnderWay: boolean;
}

/** A step on the way to the first run of a project. */
interface Step {
  readonly title: string;
  readonly state: StepState;
  readonly description: string;
  /** The command that a click runs while the step is not done. */
  readonly command?: string;
  readonly contextValue?: string;
}

const icons: Readonly<Record<StepState, vscode.ThemeIcon>> = {
  'to do': new vscode.ThemeIcon('circle-large-outline'),
  busy: new vscode.ThemeIcon('loading~spin'),
  done: new vscode.ThemeIcon('pass-filled', new vscode.ThemeColor('testing.iconPassed')),
};

/**
 * The steps to the first run of a project that cannot be run yet: its dependencies, its env file, the run. A
 * project that can be run has none, unless it could not be run before and has not been run since.
 */
export function setupSteps(
  parent: TreeElement,
  config: Config,
  runtime: RuntimeState,
  setup: Setup,
): readonly SetupStepElement[] {
  if (runtime.state !== 'ready') return [];
  const install = lackingProgram(runtime)?.install;
  const env = runtime.lacking_env;
  const isLoaded = runtime.graphs.some(({ status }) => status === 'loaded');
  const isBlocked = install !== undefined || env !== undefined || setup.isInstalling;
  if (!isBlocked && !(isLoaded && setup.isUnderWay)) return [];
  const steps: Step[] = [
    installStep(install, setup.isInstalling),
    ...(env === undefined ? [] : [envStep(env)]),
    runStep(isBlocked),
  ];
  return steps.map(
    (step, at) => new SetupStepElement(parent, config, step, { number: at + 1, of: steps.length }, env),
  );
}

/** Whether a project is not set up yet: its graphs lack packages, or variables of its env file. */
export function isNotSetUp(runtime: RuntimeState): boolean {
  return (
    runtime.state === 'ready' && (lackingProgram(runtime) !== undefined || runtime.lacking_env !== undefined)
  );
}

/** The row of a numbered step. */
export class SetupStepElement implements TreeElement {
  readonly id: string;
  readonly parent: TreeElement;
  readonly config: Config;
  /** The env file of the project, if it lacks something. */
  readonly env: LackingEnv | undefined;
  readonly #step: Step;
  readonly #place: { readonly number: number; readonly of: number };

  constructor(
    parent: TreeElement,
    config: Config,
    step: Step,
    place: { readonly number: number; readonly of: number },
    env: LackingEnv | undefined,
  ) {
    this.parent = parent;
    this.config = config;
    this.env = env;
    this.#step = step;
    this.#place = place;
    this.id = `${parent.id}/step:${place.number}`;
  }

  getTreeItem(): vscode.TreeItem {
    const { title, state, description, command, contextValue } = this.#step;
    const { number, of } = this.#place;
    const item = new vscode.TreeItem(`${number} ${title}`);
    item.description = description;
    item.iconPath = icons[state];
    item.accessibilityInformation = {
      label: [vscode.l10n.t('Step {0} of {1}', number, of), title, stateText(state), description]
        .filter(Boolean)
        .join(', '),
    };
    if (contextValue !== undefined) item.contextValue = contextValue;
    if (command !== undefined) item.command = { command, title, arguments: [this] };
    return item;
  }
}

function installStep(choices: readonly InstallChoice[] | undefined, isInstalling: boolean): Step {
  if (isInstalling)
    return { title: vscode.l10n.t('Installing Dependencies…'), state: 'busy', description: '' };
  const title = vscode.l10n.t('Install Dependencies');
  if (choices === undefined) return { title, state: 'done', description: '' };
  const steps = choices.length === 1 ? choices[0]?.steps : undefined;
  return {
    title,
    state: 'to do',
    description: steps?.map((step) => step.join(' ')).join(' && ') ?? '',
    command: 'agentHarbor.installPackages',
    contextValue: 'installDependencies',
  };
}

function envStep({ file, is_missing, has_example, variables }: LackingEnv): Step {
  const name = path.basename(file);
  const command = 'agentHarbor.openEnvFile';
  if (!is_missing) {
    const title = vscode.l10n.t('Fill In {0}', name);
    return { title, state: 'to do', description: variables.join(', '), command };
  }
  const title = vscode.l10n.t('Create {0}', name);
  const description = has_example ? vscode.l10n.t('from {0}.example', name) : variables.join(', ');
  return { title, state: 'to do', description, command };
}

/** The last step, which can be chosen at once, because a run also does the other steps. */
function runStep(isBlocked: boolean): Step {
  const description = isBlocked ? '' : vscode.l10n.t('ready');
  return { title: vscode.l10n.t('Run'), state: 'to do', description, command: 'agentHarbor.run' };
}

function stateText(state: StepState): string {
  if (state === 'done') return vscode.l10n.t('done');
  return state === 'busy' ? vscode.l10n.t('in progress') : vscode.l10n.t('to do');
}
