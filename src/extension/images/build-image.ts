import path from 'node:path';
import * as vscode from 'vscode';
import { findContainerTool } from '../../containers/container-tool.ts';
import { buildImage } from '../../images/build-image.ts';
import { ImageBuildError } from '../../images/build-log.ts';
import { imageNameProblem, suggestImageName } from '../../images/image-name.ts';
import type { Config } from '../deployments/configs.ts';
import type { ReadOnlyDocuments } from '../documents/read-only-documents.ts';

interface ImageBuildParts {
  readonly documents: ReadOnlyDocuments;
  /** The folder of the bundles, the server's among them. */
  readonly bundles: string;
  readonly version: string;
}

/** Longer lines of the log are cut in the notification. */
const MAX_PROGRESS_LENGTH = 120;

/**
 * Asks for a name and builds an image of a project, with progress. If it fails, the log can be opened at the
 * error.
 * @throws NoContainerToolError; the error of a build that could not be started
 */
export async function buildProjectImage(config: Config, parts: ImageBuildParts): Promise<void> {
  const tool = await findContainerTool(process.env);
  const configPath = config.uri.fsPath;
  const tag = await askForImageName(configPath, tool.title);
  if (tag === undefined) return;
  const lines: string[] = [];
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Building {0}', tag),
    cancellable: true,
  };
  const failure = await vscode.window.withProgress(options, async (progress, token) => {
    const canceling = new AbortController();
    token.onCancellationRequested(() => canceling.abort());
    try {
      const request = { configPath, tag, serverDir: parts.bundles, version: parts.version };
      const baseImage = process.env.AGENT_HARBOR_BASE_IMAGE;
      await buildImage(
        tool,
        { ...request, baseImage },
        {
          signal: canceling.signal,
          onLine: (line) => {
            lines.push(line);
            progress.report({ message: line.slice(0, MAX_PROGRESS_LENGTH) });
          },
        },
      );
      return undefined;
    } catch (error) {
      return canceling.signal.aborted ? 'canceled' : error;
    }
  });
  if (failure === 'canceled') return;
  await showOutcome(failure, { config, tag, log: lines.join('\n'), documents: parts.documents });
}

/** @returns undefined when canceled */
async function askForImageName(configPath: string, tool: string): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Build Image'),
    prompt: vscode.l10n.t('Image name (built with {0})', tool),
    value: suggestImageName(path.basename(path.dirname(configPath))),
    validateInput: (name) =>
      imageNameProblem(name) === undefined
        ? undefined
        : vscode.l10n.t('Must be a name in lowercase, such as support:1.4.'),
  });
}

/**
 * Shows the outcome in a message that can open the log.
 * @param failure the error of the build; undefined if it succeeded
 * @throws `failure` if the build could not be started
 */
async function showOutcome(
  failure: unknown,
  outcome: { config: Config; tag: string; log: string; documents: ReadOnlyDocuments },
): Promise<void> {
  const { config, tag, log, documents } = outcome;
  const showLog = vscode.l10n.t('Show Log');
  const openConfig = vscode.l10n.t('Open langgraph.json');
  if (failure === undefined) {
    const built = vscode.l10n.t('Built {0}. To run it here: agent-harbor up --image {0}', tag);
    if ((await vscode.window.showInformationMessage(built, showLog)) === showLog)
      await documents.showText(tag, log, 0);
    return;
  }
  if (!(failure instanceof ImageBuildError)) throw failure;
  const [sentence = ''] = failure.message.split('\n');
  const buttons = failure.origin === undefined ? [showLog] : [showLog, openConfig];
  const chosen = await vscode.window.showErrorMessage(sentence, ...buttons);
  if (chosen === showLog) await documents.showText(tag, log, failure.logLine ?? log.split('\n').length - 1);
  if (chosen === openConfig && failure.origin !== undefined) await showKey(config.uri, failure.origin);
}

/** Opens a langgraph.json at a key. @param origin the key, with an index if it has a list: `dockerfile_lines[0]` */
async function showKey(uri: vscode.Uri, origin: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const key = `"${origin.replace(/\[\d+\]$/, '')}"`;
  const at = Math.max(0, document.getText().indexOf(key));
  const selection = document.lineAt(document.positionAt(at)).range;
  await vscode.window.showTextDocument(document, { selection });
}
