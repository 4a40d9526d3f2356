import * as vscode from 'vscode';
import type { ErrorReporter } from '../dialogs/errors.ts';
import type { OpenFolderDeployment } from './folder-deployments.ts';
import { LogChannel } from './log-channel.ts';

interface FollowedLog {
  readonly channel: LogChannel;
  readonly stop: AbortController;
}

/**
 * Shows the logs of open folders' deployments, each in its own output channel, which is created on first use.
 */
export class FolderLogs implements vscode.Disposable {
  readonly #errors: ErrorReporter;
  readonly #logs = new Map<string, FollowedLog>();

  constructor(errors: ErrorReporter) {
    this.#errors = errors;
  }

  /** Shows the log, and follows it unless it is being followed already. */
  show({ live, client }: OpenFolderDeployment): void {
    const before = this.#logs.get(live.deployment_id);
    const channel = before?.channel ?? new LogChannel(`Agent Harbor: ${live.name}`);
    channel.show();
    if (before !== undefined && !before.stop.signal.aborted) return;
    const stop = new AbortController();
    this.#logs.set(live.deployment_id, { channel, stop });
    void this.#follow({ live, client }, channel, stop);
  }

  dispose(): void {
    for (const { channel, stop } of this.#logs.values()) {
      stop.abort();
      channel.dispose();
    }
  }

  async #follow(
    { live, client }: Pick<OpenFolderDeployment, 'live' | 'client'>,
    channel: LogChannel,
    stop: AbortController,
  ): Promise<void> {
    const params = { deployment_id: live.deployment_id };
    try {
      channel.clear();
      const lines = await client.harbor.log({ params }, { signal: stop.signal });
      const { LogLine } = await import('../connections/platform.ts');
      for await (const { event, data } of lines) {
        // Other events, and lines in an unknown form, are not shown.
        const line = LogLine.safeParse(data);
        if (event === 'log' && line.success) channel.write(line.data);
      }
    } catch (error) {
      this.#errors.log(error, `follow the log of ${live.name}`);
    } finally {
      if (!stop.signal.aborted)
        channel.say(vscode.l10n.t('Log stream ended. Run Show Deployment Log to resume.'), 'WARNING');
      stop.abort();
    }
  }
}
