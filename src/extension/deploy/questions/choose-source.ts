import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import type { Deployment } from '../../../contract/control-plane/deployments.ts';
import type { GitState } from '../../../project/git-state.ts';
import { listGitRefs } from '../../../project/list-git-refs.ts';
import type { PlatformConnection } from '../../connections/connection.ts';
import { choose, takeAnswer } from '../../dialogs/steps.ts';
import { joinParts } from '../../wording/format.ts';
import type { PlannedSource } from '../deploy-plan.ts';
import { repositoryAddress } from '../repository-address.ts';
import { uncommittedText, unpushedText } from '../source-texts.ts';
import { planBefore, type Question, type Work } from './question.ts';
import { runsContainers } from './runs-containers.ts';

/**
 * Sets the source if the deployment is made from a folder or an image, because it keeps that kind of source.
 */
export const keepSource: Work = async (draft) => {
  const { target } = draft;
  if (target?.source === 'external_docker') draft.source = imageOf(target);
  else if (target !== undefined && target.source !== 'github') draft.source = { kind: 'folder' };
  return 'skipped';
};

/** Asks for the source: the folder, a branch or tag of its repository, or an image. */
export const chooseSource: Question = {
  isOpen: ({ target }) => target === undefined || target.source === 'github',
  ask: async (draft, options, dialog) => {
    const { state, connection, target } = draft;
    // This never happens: `inspectFolder`, which comes before, has read the state.
    if (state === undefined) return 'canceled';
    const all = await listSourceItems(state, connection, target, await options.connect(connection));
    const items = options.records ? all.filter(({ source }) => source.kind !== 'image') : all;
    const [only] = items;
    if (only !== undefined && items.length === 1) {
      draft.source = only.source;
      return 'skipped';
    }
    const placeholder = vscode.l10n.t('Select a source');
    const wanted = planBefore(draft, options)?.source;
    const isActive = ({ source }: SourceItem) => isAlike(source, wanted);
    return takeAnswer(await choose({ ...dialog, placeholder, items, isActive }), ({ source }) => {
      draft.source = source;
    });
  },
};

function isAlike(one: PlannedSource, other: PlannedSource | undefined): boolean {
  if (one.kind !== 'repository') return other?.kind === one.kind;
  return other?.kind === 'repository' && other.ref === one.ref;
}

interface SourceItem extends vscode.QuickPickItem {
  readonly source: PlannedSource;
}

/**
 * Sources that a deployment can be made from. An existing one cannot change its kind of source.
 * @throws Error if an existing one has no branch or tag to choose, or git cannot list them
 */
async function listSourceItems(
  state: GitState,
  connection: PlatformConnection,
  target: Deployment | undefined,
  client: Client,
): Promise<SourceItem[]> {
  const { place } = connection;
  const uncommitted = uncommittedText(state);
  const folder: SourceItem = {
    label: place === 'local' ? vscode.l10n.t('Current folder') : vscode.l10n.t('Upload the current folder'),
    iconPath: new vscode.ThemeIcon('folder'),
    description: uncommitted === undefined ? '' : vscode.l10n.t('includes {0}', uncommitted),
    source: { kind: 'folder' },
  };
  const image: SourceItem = {
    label: vscode.l10n.t('Container Image…'),
    iconPath: new vscode.ThemeIcon('package'),
    source: imageOf(target),
  };
  const url = target?.source_config.repo_url ?? repositoryAddress(state, place);
  const listItems = async () => (url === undefined ? [] : listRefItems(state, place, url, client));
  if (target !== undefined) return requireRefs(await listItems(), state.top);
  // A repository that cannot be listed is not offered as a source.
  const refs = await listItems().catch(() => []);
  return [folder, ...refs, ...((await runsContainers(connection)) ? [image] : [])];
}

/** @throws Error if there are no branches or tags, which are the only sources that a repository has */
function requireRefs(refs: SourceItem[], top: string): SourceItem[] {
  if (refs.length === 0)
    throw new Error(vscode.l10n.t('The repository at {0} has no branches or tags to deploy.', top));
  return refs;
}

/** The branches and tags of a repository as sources. @throws Error if git cannot list them */
async function listRefItems(
  state: GitState,
  place: PlatformConnection['place'],
  url: string,
  client: Client,
): Promise<SourceItem[]> {
  const refs = await listGitRefs(state.top);
  const integrationId = place === 'local' ? undefined : await findIntegrationFor(client, url);
  const uncommitted = uncommittedText(state);
  return refs.map(({ name, isTag }): SourceItem => {
    const isHere = !isTag && name === state.branch;
    return {
      label: name,
      iconPath: new vscode.ThemeIcon(isTag ? 'tag' : 'git-branch'),
      description: joinParts(
        isHere ? vscode.l10n.t('checked out') : undefined,
        isHere && uncommitted !== undefined ? vscode.l10n.t('excludes {0}', uncommitted) : undefined,
        isHere && place !== 'local' ? excludedCommits(state) : undefined,
      ),
      source: {
        kind: 'repository',
        url,
        ref: isTag ? `refs/tags/${name}` : name,
        ...(integrationId !== undefined && { integrationId }),
      },
    };
  });
}

function imageOf(target: Deployment | undefined): PlannedSource {
  return { kind: 'image', image: target?.source_revision_config.image_uri ?? '' };
}

function excludedCommits(state: GitState): string | undefined {
  if (state.unpushed === undefined) return vscode.l10n.t('never pushed');
  const unpushed = unpushedText(state);
  return unpushed && vscode.l10n.t('excludes {0}', unpushed);
}

/**
 * Finds the integration through which the cloud reads a GitHub repository; the cloud accepts no repository
 * without one.
 * @returns the ID of the integration that is named for the repository's owner, else of the first one
 */
async function findIntegrationFor(client: Client, url: string): Promise<string | undefined> {
  if (!/^https:\/\/github\.com\//.test(url)) return undefined;
  // If the platform does not list integrations, the repository is sent without one.
  const integrations = await client.controlPlane.integrations.list().catch(() => []);
  const owner = new URL(url).pathname.split('/')[1];
  return (integrations.find(({ name }) => name === owner) ?? integrations[0])?.id;
}
