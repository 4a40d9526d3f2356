import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { Deployment } from '../../contract/control-plane/deployments.ts';
import { defaultName } from '../../deploy/create-or-update.ts';
import { listDeployments } from '../../deploy/find-deployment.ts';
import { type GitState, gitRefs, readGitState } from '../../project/git-state.ts';
import { type FoundSecrets, findSecrets } from '../../project/secrets.ts';
import type { Config } from '../configs.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import { ask, choose, chooseSeveral, type Step, taken, walk } from '../dialogs/steps.ts';
import { joined } from '../views/format.ts';
import type { DeployPlan, PlannedSource } from './deploy-plan.ts';
import { folderText, repositoryAddress, unsavedText } from './source-texts.ts';

export interface DeployWizardOptions {
  readonly configs: readonly Config[];
  readonly connections: readonly PlatformConnection[];
  /** What is known already is not asked. */
  readonly given: { readonly configPath?: string; readonly connectionId?: string; readonly name?: string };
  /** What was chosen for this config before, if anything. */
  readonly before: (configPath: string) => DeployPlan | undefined;
  /** A client of a platform's control plane. */
  readonly connect: (connection: PlatformConnection) => Promise<Client>;
}

/**
 * Asks what goes where.
 * @returns nothing when nobody answered
 * @throws ActionableError when the platform cannot be reached
 */
export async function askForPlan(options: DeployWizardOptions): Promise<DeployPlan | undefined> {
  const { configs, connections, given, before, connect } = options;
  const title = vscode.l10n.t('Deploy');
  let config = configs.find(({ uri }) => uri.fsPath === given.configPath) ?? configs[0];
  let connection = connections.find(({ id }) => id === given.connectionId) ?? connections[0];
  let state: GitState | undefined;
  let existing: readonly Deployment[] = [];
  let target: Deployment | undefined;
  let name = '';
  let type: string | undefined;
  let source: PlannedSource = { kind: 'folder' };
  let secrets: FoundSecrets | undefined;
  let variables: readonly string[] | undefined;
  const plan = () => before(config?.uri.fsPath ?? '');

  const chooseConfig: Step = async (canGoBack) => {
    if (given.configPath !== undefined || configs.length === 1) return 'skipped';
    const items = configs.map((one) => ({
      label: one.name,
      description: vscode.workspace.asRelativePath(one.uri),
      config: one,
    }));
    const placeholder = vscode.l10n.t('Which agent is to be deployed?');
    return taken(await choose({ title, canGoBack, placeholder, items }), (item) => {
      config = item.config;
    });
  };

  const chooseConnection: Step = async (canGoBack) => {
    if (given.connectionId !== undefined || connections.length === 1) return 'skipped';
    const items = connections.map((one) => ({
      label: one.label,
      iconPath: new vscode.ThemeIcon(one.place === 'local' ? 'device-desktop' : 'cloud'),
      description: one.place === 'local' ? vscode.l10n.t('on this machine') : '',
      connection: one,
    }));
    const placeholder = vscode.l10n.t('Deploy to which platform?');
    const isActive = (item: (typeof items)[number]) => item.connection.id === plan()?.connectionId;
    return taken(await choose({ title, canGoBack, placeholder, items, isActive }), (item) => {
      connection = item.connection;
    });
  };

  /** Nothing to answer: reads what the next steps need. */
  const look: Step = async () => {
    if (config === undefined || connection === undefined) return 'left';
    const { signal } = new AbortController();
    const configPath = config.uri.fsPath;
    const platform = connection;
    const location = vscode.ProgressLocation.Window;
    const reading = vscode.l10n.t('Agent Harbor: looking at {0}', platform.label);
    const [git, all, found] = await vscode.window.withProgress({ location, title: reading }, () =>
      Promise.all([
        readGitState(configPath),
        connect(platform).then((client) => listDeployments(client, undefined, signal)),
        findSecrets(configPath, undefined),
      ]),
    );
    state = git;
    // What is served from a folder has no revisions.
    existing = all.filter(({ latest_revision_id }) => latest_revision_id !== null);
    secrets = found;
    return 'skipped';
  };

  const chooseTarget: Step = async (canGoBack) => {
    target = existing.find((deployment) => deployment.name === given.name);
    if (target !== undefined || existing.length === 0) return 'skipped';
    const made = existing.map((deployment) => ({
      label: deployment.name,
      description: joined(
        deployment.source_config.deployment_type ?? undefined,
        deployment.source_config.repo_url ?? undefined,
      ),
      deployment,
    }));
    const items = [
      {
        label: vscode.l10n.t('New Deployment…'),
        iconPath: new vscode.ThemeIcon('add'),
        deployment: undefined,
      },
      ...made,
    ];
    const wanted = plan()?.name;
    const isActive = (item: (typeof items)[number]) => item.deployment?.name === wanted;
    const placeholder = vscode.l10n.t('A new deployment, or a new revision of one?');
    return taken(await choose({ title, canGoBack, placeholder, items, isActive }), (item) => {
      target = item.deployment;
    });
  };

  const askForName: Step = async (canGoBack) => {
    if (target !== undefined) return 'skipped';
    return taken(
      await ask({
        title,
        canGoBack,
        prompt: vscode.l10n.t('Name of the deployment; its traces go to a project of this name'),
        value: name || (state === undefined ? '' : freeName(defaultName(state), existing)),
        check: (text) => {
          if (text === '') return vscode.l10n.t('Enter a name.');
          const isTaken = existing.some((deployment) => deployment.name === text);
          return isTaken ? vscode.l10n.t('There is a deployment of this name already.') : undefined;
        },
      }),
      (text) => {
        name = text;
      },
    );
  };

  const chooseType: Step = async (canGoBack) => {
    if (target !== undefined) return 'skipped';
    const items = typesFor(connection);
    const placeholder = vscode.l10n.t('Of which type? It cannot be changed later.');
    const isActive = (item: (typeof items)[number]) => item.type === (type ?? plan()?.type);
    return taken(await choose({ title, canGoBack, placeholder, items, isActive }), (item) => {
      type = item.type;
    });
  };

  const chooseSource: Step = async (canGoBack) => {
    if (state === undefined || connection === undefined) return 'left';
    const items = await sourceItems(state, connection, target, await connect(connection));
    const [only] = items;
    if (only !== undefined && items.length === 1) {
      source = only.source;
      return 'skipped';
    }
    const placeholder = vscode.l10n.t('From which source?');
    const wanted = plan()?.source;
    const isActive = ({ source: one }: SourceItem) =>
      one.kind === 'folder'
        ? wanted?.kind === 'folder'
        : wanted?.kind === 'repository' && wanted.ref === one.ref;
    return taken(await choose({ title, canGoBack, placeholder, items, isActive }), (item) => {
      source = item.source;
    });
  };

  const chooseVariables: Step = async (canGoBack) => {
    variables = undefined;
    if (secrets === undefined || secrets.secrets.length === 0) return 'skipped';
    const file = vscode.workspace.asRelativePath(secrets.file);
    const wanted = plan()?.variables;
    const items = secrets.secrets.map((secret) => ({
      label: secret.name,
      picked: wanted === undefined || wanted.includes(secret.name),
    }));
    const placeholder =
      target === undefined
        ? vscode.l10n.t('Which variables of {0} may it have? They are kept as secrets.', file)
        : vscode.l10n.t('Which variables of {0} may it have? With none its own stay as they are.', file);
    return taken(await chooseSeveral({ title, canGoBack, placeholder, items }), (chosen) => {
      variables = chosen.length === 0 && target !== undefined ? undefined : chosen.map(({ label }) => label);
    });
  };

  const confirm: Step = async () => {
    if (config === undefined || connection === undefined || state === undefined) return 'left';
    const deploy = vscode.l10n.t('Deploy');
    const goes = target?.name ?? name;
    const lines = [
      source.kind === 'folder'
        ? folderText(state)
        : vscode.l10n.t('From: {0} at {1}', source.url, source.ref.replace(/^refs\/tags\//, '')),
      vscode.l10n.t('Config: {0}', state.configPath),
      target === undefined
        ? vscode.l10n.t('To: {0}, as the new deployment “{1}” ({2})', connection.label, goes, type ?? 'dev')
        : vscode.l10n.t('To: {0}, as a new revision of “{1}”', connection.label, goes),
      variablesText(variables, target !== undefined),
      secrets === undefined || secrets.reserved.length === 0
        ? undefined
        : vscode.l10n.t('Left out, since the platform sets them: {0}', secrets.reserved.join(', ')),
      unsavedText(state, source, connection.place),
    ];
    const chosen = await vscode.window.showInformationMessage(
      vscode.l10n.t('Deploy {0} to {1}?', config.name, connection.label),
      { modal: true, detail: lines.filter((line) => line !== undefined).join('\n') },
      deploy,
    );
    return chosen === deploy ? 'next' : 'left';
  };

  const isDone = await walk([
    chooseConfig,
    chooseConnection,
    look,
    chooseTarget,
    askForName,
    chooseType,
    chooseSource,
    chooseVariables,
    confirm,
  ]);
  if (!isDone || config === undefined || connection === undefined) return undefined;
  return {
    configPath: config.uri.fsPath,
    connectionId: connection.id,
    name: target?.name ?? name,
    type,
    source,
    variables,
  };
}

function freeName(wanted: string, existing: readonly Deployment[]): string {
  const names = new Set(existing.map(({ name }) => name));
  for (let number = 2, name = wanted; ; name = `${wanted}-${number++}`) if (!names.has(name)) return name;
}

interface TypeItem extends vscode.QuickPickItem {
  readonly type: string;
}

function typesFor(connection: PlatformConnection | undefined): TypeItem[] {
  const development = { label: vscode.l10n.t('Development'), description: 'dev', type: 'dev' };
  const production = { label: vscode.l10n.t('Production'), description: 'prod', type: 'prod' };
  if (connection?.place === 'local') return [development, production];
  return [
    development,
    production,
    { label: vscode.l10n.t('Development, Free'), description: 'dev_free', type: 'dev_free' },
    { label: vscode.l10n.t('Serverless'), description: 'serverless', type: 'serverless' },
    { label: vscode.l10n.t('Dedicated'), description: 'dedicated', type: 'dedicated' },
  ];
}

interface SourceItem extends vscode.QuickPickItem {
  readonly source: PlannedSource;
}

/** What a deployment can be made from; one that exists goes on with the kind of source it has. */
async function sourceItems(
  state: GitState,
  { place }: PlatformConnection,
  target: Deployment | undefined,
  client: Client,
): Promise<SourceItem[]> {
  const folder: SourceItem = {
    label:
      place === 'local' ? vscode.l10n.t('The folder as it is') : vscode.l10n.t('Upload the folder as it is'),
    iconPath: new vscode.ThemeIcon('folder'),
    description: state.changed > 0 ? vscode.l10n.t('{0} uncommitted changes included', state.changed) : '',
    source: { kind: 'folder' },
  };
  if (target !== undefined && target.source !== 'github') return [folder];
  const url = target?.source_config.repo_url ?? repositoryAddress(state, place);
  const refs = url === undefined ? [] : await gitRefs(state.top).catch(() => []);
  const integrationId =
    url === undefined || place === 'local' ? undefined : await integrationFor(client, url);
  const ofRefs = refs.map(({ name, isTag }): SourceItem => {
    const isHere = !isTag && name === state.branch;
    return {
      label: name,
      iconPath: new vscode.ThemeIcon(isTag ? 'tag' : 'git-branch'),
      description: joined(
        isHere ? vscode.l10n.t('checked out') : undefined,
        isHere && state.changed > 0
          ? vscode.l10n.t('without {0} uncommitted changes', state.changed)
          : undefined,
        isHere && place !== 'local' ? unpushedText(state) : undefined,
      ),
      source: {
        kind: 'repository',
        url: url ?? '',
        ref: isTag ? `refs/tags/${name}` : name,
        ...(integrationId !== undefined && { integrationId }),
      },
    };
  });
  return target === undefined ? [folder, ...ofRefs] : ofRefs;
}

function unpushedText({ unpushed }: GitState): string | undefined {
  if (unpushed === undefined) return vscode.l10n.t('never pushed');
  return unpushed > 0 ? vscode.l10n.t('without {0} unpushed commits', unpushed) : undefined;
}

/** The cloud reads GitHub's repositories through an integration, and takes no address without one. */
async function integrationFor(client: Client, url: string): Promise<string | undefined> {
  if (!/^https:\/\/github\.com\//.test(url)) return undefined;
  const integrations = await client.controlPlane.integrations.list().catch(() => []);
  const owner = new URL(url).pathname.split('/')[1];
  return (integrations.find(({ name }) => name === owner) ?? integrations[0])?.id;
}

function variablesText(variables: readonly string[] | undefined, exists: boolean): string {
  if (variables === undefined)
    return exists ? vscode.l10n.t('Variables: as they are') : vscode.l10n.t('Variables: none');
  return variables.length === 0
    ? vscode.l10n.t('Variables: none')
    : vscode.l10n.t('Variables: {0}', variables.join(', '));
}
