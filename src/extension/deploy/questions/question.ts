import type { Client } from '../../../client/client.ts';
import type { Deployment } from '../../../contract/control-plane/deployments.ts';
import type { GitState } from '../../../project/git-state.ts';
import type { FoundSecrets } from '../../../project/secrets.ts';
import type { PlatformConnection } from '../../connections/connection.ts';
import type { Config } from '../../deployments/configs.ts';
import type { Step, StepOptions } from '../../dialogs/steps.ts';
import type { DeployPlan, PlannedSource } from '../deploy-plan.ts';

/** The possible answers, the answers that are already known, and the previous plans. */
export interface DeployWizardOptions {
  readonly configs: readonly Config[];
  readonly connections: readonly PlatformConnection[];
  /** Answers that are already known, whose questions are skipped. */
  readonly preset: { readonly configPath?: string; readonly connectionId?: string; readonly name?: string };
  /** Whether to turn on the recording of the deployment's runs; false leaves it unchanged. */
  readonly records: boolean;
  /** Returns the last plan for a config, if any. */
  readonly lastPlan: (configPath: string) => DeployPlan | undefined;
  /** Connects to a platform, and returns a client for it. */
  readonly connect: (connection: PlatformConnection) => Promise<Client>;
}

/** The answers and findings so far. */
export interface DeployDraft {
  /** At first the first config or connection, until one is chosen. */
  config: Config;
  connection: PlatformConnection;
  /** State of the config's folder, once inspected. */
  state: GitState | undefined;
  /** The platform's deployments that have revisions; folders served in place have none. */
  existing: readonly Deployment[];
  /** The variables of the env file. */
  secrets: FoundSecrets | undefined;
  /** The deployment that gets a new revision; undefined to create a deployment. */
  target: Deployment | undefined;
  /** The name of a new deployment. */
  name: string;
  /** The type of a new deployment. */
  type: string | undefined;
  source: PlannedSource;
  /** The names of the variables to deploy; undefined keeps those of the deployment. */
  variables: readonly string[] | undefined;
}

/** A question of the wizard, which keeps its answer in the draft. */
export interface Question {
  /**
   * Whether the question is asked, because its answer does not follow from the options and earlier answers.
   */
  readonly isOpen: (draft: DeployDraft, options: DeployWizardOptions) => boolean;
  readonly ask: (draft: DeployDraft, options: DeployWizardOptions, dialog: StepOptions) => ReturnType<Step>;
}

/** Work of the wizard between or after its questions. */
export type Work = (draft: DeployDraft, options: DeployWizardOptions) => ReturnType<Step>;

/** The last plan for the draft's config, if any. */
export function planBefore({ config }: DeployDraft, options: DeployWizardOptions): DeployPlan | undefined {
  return options.lastPlan(config.uri.fsPath);
}
