import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { RevisionFailedError } from '../../client/wait-for-revision.ts';
import type { Deployment } from '../../contract/control-plane/deployments.ts';
import type { LogEntry } from '../../contract/control-plane/logs.ts';
import { failingEntry } from '../../deploy/failing-entry.ts';
import { followRevision } from '../../deploy/follow-revision.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import { keyOnPlatform } from '../deployments/deployment-key.ts';
import type { LogChannel } from '../deployments/log-channel.ts';
import { type ErrorReporter, sentenceOf } from '../dialogs/errors.ts';
import { statusLabel } from '../wording/revision-labels.ts';

interface RollOutOptions {
  readonly client: Client;
  readonly connection: Pick<PlatformConnection, 'id' | 'label' | 'onDidChange'>;
  readonly name: string;
  readonly channel: LogChannel;
  /** Creates the revision that is followed. */
  readonly begin: (signal: AbortSignal) => Promise<Deployment>;
  /** Starts the same deployment again. */
  readonly again: () => Thenable<unknown>;
  /** The message once the revision is live; by default "Deployed …". */
  readonly done?: string | undefined;
  readonly errors: Pick<ErrorReporter, 'watch'>;
  /** Called at each change of the revision. */
  readonly changed: () => void;
  /** Shows the row of the deployment. */
  readonly reveal: (deploymentId: string) => Promise<void>;
  /** Shows the log of a failed build in an editor, at a line. The first line is 0. */
  readonly showFailure: (title: string, text: string, line: number) => Promise<void>;
}

type Outcome =
  | { readonly kind: 'live'; readonly deployment: Deployment }
  | { readonly kind: 'failed'; readonly sentence: string; readonly log: readonly LogEntry[] }
  | { readonly kind: 'stopped'; readonly sentence: string };

/**
 * Creates a revision and follows it, with progress and its build log, until it is deployed or has failed.
 * Canceling stops the revision.
 * @throws RequestError when the revision cannot be made or followed
 */
export async function rollOut(options: RollOutOptions): Promise<void> {
  const { name, connection, channel } = options;
  const title = vscode.l10n.t('Deploying {0} to {1}', name, connection.label);
  channel.show(true);
  const outcome = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    (progress, token) => follow(options, progress, token),
  );
  if (outcome.kind === 'live') await options.reveal(outcome.deployment.id);
  // Not awaited: the rollout is done, even if the message is answered much later.
  options.errors.watch(showOutcome(options, outcome), 'deploy');
}

/** Creates the revision, and follows it until it is live or has ended. @throws RequestError */
async function follow(
  { client, connection, channel, begin, changed }: RollOutOptions,
  progress: vscode.Progress<{ message: string }>,
  token: vscode.CancellationToken,
): Promise<Outcome> {
  const stop = new AbortController();
  token.onCancellationRequested(() => stop.abort());
  const { signal } = stop;
  const log: LogEntry[] = [];
  let made: Deployment | undefined;
  try {
    progress.report({ message: vscode.l10n.t('sending…') });
    made = await begin(signal);
    // The platform has just created a revision, so there is a newest one.
    const params = { deployment_id: made.id, revision_id: made.latest_revision_id ?? '' };
    const show = {
      status: ({ status }: { readonly status: string }) => {
        progress.report({ message: statusLabel(status) });
        channel.say(statusLabel(status));
        changed();
      },
      line: (entry: LogEntry) => {
        log.push(entry);
        channel.write(entry);
      },
    };
    await followRevision(client, params, show, signal, (ms) =>
      untilChanged(connection, params.revision_id, ms, signal),
    );
    return { kind: 'live', deployment: await client.deployments.get({ params }) };
  } catch (error) {
    if (signal.aborted) {
      const sentence = await interrupt(client, made);
      changed();
      return { kind: 'stopped', sentence };
    }
    if (!(error instanceof RevisionFailedError)) throw error;
    return noteFailure(error, channel, log);
  }
}

/** Writes to the channel why a revision is not live. @returns the same as the outcome of the rollout */
function noteFailure(error: RevisionFailedError, channel: LogChannel, log: readonly LogEntry[]): Outcome {
  const { status, status_message: reason } = error.revision;
  if (status === 'INTERRUPTED') {
    const sentence = vscode.l10n.t('The revision was stopped.');
    channel.say(sentence);
    return { kind: 'stopped', sentence };
  }
  channel.say(sentenceOf(reason ?? error), 'ERROR');
  return { kind: 'failed', sentence: sentenceOf(reason?.split('\n')[0] ?? error), log };
}

/** Waits until a revision changes, but at most `ms`; ends early when aborted. */
function untilChanged(
  { onDidChange }: Pick<PlatformConnection, 'onDidChange'>,
  revisionId: string,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      subscription.dispose();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    const subscription = onDidChange((changes) => {
      if (changes.some(({ resource, id }) => resource === 'revision' && id === revisionId)) done();
    });
    signal.addEventListener('abort', done);
  });
}

/** Stops the revision. @returns a sentence with the result */
async function interrupt(client: Client, made: Deployment | undefined): Promise<string> {
  const revision_id = made?.latest_revision_id;
  if (made === undefined || !revision_id)
    return vscode.l10n.t(
      'Canceled before the platform answered. It may have created a deployment or a revision.',
    );
  try {
    const params = { deployment_id: made.id, revision_id };
    const { status } = await client.revisions.interrupt({ params });
    return vscode.l10n.t('Deployment canceled ({0}).', statusLabel(status));
  } catch (error) {
    return vscode.l10n.t(
      'The revision could not be stopped and is still being deployed: {0}',
      sentenceOf(error),
    );
  }
}

async function showOutcome(
  { name, connection, again, done, showFailure, channel }: RollOutOptions,
  outcome: Outcome,
): Promise<void> {
  const deployAgain = vscode.l10n.t('Deploy Again');
  switch (outcome.kind) {
    case 'stopped':
      await vscode.window.showInformationMessage(`${name}: ${outcome.sentence}`);
      return;
    case 'failed': {
      const showLog = vscode.l10n.t('Show Build Log');
      // If an editor shows the log at the failing line, the Output panel need not show it too.
      if (await showFailingLine(name, outcome.log, showFailure)) channel.hide();
      const message = vscode.l10n.t(
        '{0} was not deployed to {1}: {2}',
        name,
        connection.label,
        outcome.sentence,
      );
      const chosen = await vscode.window.showErrorMessage(message, deployAgain, showLog);
      if (chosen === deployAgain) await again();
      if (chosen === showLog) channel.show();
      return;
    }
    case 'live': {
      const url = outcome.deployment.source_config.custom_url ?? '';
      const run = vscode.l10n.t('Run');
      const open = vscode.l10n.t('Open');
      const copy = vscode.l10n.t('Copy URL');
      const message = done ?? vscode.l10n.t('Deployed {0} to {1}.', name, connection.label);
      const actions = url === '' ? [] : [run, open, copy];
      const chosen = await vscode.window.showInformationMessage(message, ...actions);
      if (chosen === run) {
        const key = keyOnPlatform(connection.id, outcome.deployment.id);
        await vscode.commands.executeCommand('agentHarbor.run', key);
      }
      if (chosen === open) await vscode.env.openExternal(vscode.Uri.parse(`${url}/docs`));
      if (chosen === copy) await vscode.env.clipboard.writeText(url);
    }
  }
}

/** Shows the build log at the line that says what failed. @returns whether there is a log */
async function showFailingLine(
  name: string,
  log: readonly LogEntry[],
  show: RollOutOptions['showFailure'],
): Promise<boolean> {
  if (log.length === 0) return false;
  const texts = log.map(({ message }) => message.trimEnd());
  const failing = failingEntry(log);
  const before = texts.slice(0, failing).join('\n');
  const line = failing === 0 ? 0 : before.split('\n').length;
  await show(vscode.l10n.t('{0} build', name), `${texts.join('\n')}\n`, line);
  return true;
}
