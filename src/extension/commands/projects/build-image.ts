import * as vscode from 'vscode';
import { samePath } from '../../../project/paths.ts';
import { type Config, configItem, type FolderConfigs } from '../../deployments/configs.ts';
import type { ReadOnlyDocuments } from '../../documents/read-only-documents.ts';
import { DeploymentElement } from '../../views/deployments.ts';
import type { Command } from '../command.ts';

interface BuildImageParts {
  readonly configs: Pick<FolderConfigs, 'list'>;
  readonly documents: ReadOnlyDocuments;
  /** The folder of the bundles, the server's among them. */
  readonly bundles: string;
  /** The extension's version. */
  readonly version: string;
}

/**
 * Builds a container image of a project: that of a row or of the URI of a langgraph.json, or else one that
 * the user chooses.
 */
export const buildImage: Command<BuildImageParts> = async (
  { configs, documents, bundles, version },
  argument,
) => {
  const config =
    argument instanceof DeploymentElement
      ? argument.config
      : await chooseConfig(await configs.list(), argument);
  if (config === undefined) return;
  // Loaded on demand: few users build images, and this code includes the reader of projects.
  const { buildProjectImage } = await import('../../images/build-image.ts');
  await buildProjectImage(config, { documents, bundles, version });
};

/** @throws Error when the URI is of no project that is open: another one must not take its place */
async function chooseConfig(configs: readonly Config[], argument: unknown): Promise<Config | undefined> {
  if (argument instanceof vscode.Uri) {
    const named = configs.find(({ uri }) => samePath(uri.fsPath, argument.fsPath));
    if (named !== undefined) return named;
    throw new Error(vscode.l10n.t('There is no {0} in the open folder.', argument.fsPath));
  }
  const [only] = configs;
  if (configs.length <= 1) return only;
  const items = configs.map(configItem);
  const placeHolder = vscode.l10n.t('Select the project to build');
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Build Image'), placeHolder }))
    ?.config;
}
