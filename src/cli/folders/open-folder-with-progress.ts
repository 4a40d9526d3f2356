import type { HarborClient } from '../../client/harbor-client.ts';
import type { LiveDeployment } from '../../contract/harbor.ts';
import { dateOf } from '../../terms/times.ts';
import { loadingSentence, logText } from '../render/deployment.ts';
import type { Context } from '../terminal/context.ts';
import { followLiveLog } from './live-log.ts';
import { type OpenFolderOptions, openFolder } from './open-folder.ts';

/** After this time, a note says that graphs are loading, followed by what they print. */
export const SLOW_MS = 1_000;

/**
 * Serves the agent of a langgraph.json as `openFolder` does. If that is slow, prints what the graphs log while they load.
 * @returns the deployment, and the messages of its log that were printed
 */
export async function openFolderWithProgress(
  { terminal, interrupted }: Pick<Context, 'terminal' | 'interrupted'>,
  client: HarborClient,
  configPath: string,
  options: Omit<OpenFolderOptions, 'signal' | 'onOpened'> = {},
): Promise<{ deployment: LiveDeployment; shown: ReadonlySet<string> }> {
  const shown = new Set<string>();
  const following = new AbortController();
  let slow: NodeJS.Timeout | undefined;
  const sayLoading = ({ deployment_id }: LiveDeployment, began: Date) => {
    terminal.note(terminal.errorColors.dim(loadingSentence(configPath)));
    void followLiveLog(client, deployment_id, following.signal, (line) => {
      // Lines from before the folder was opened are about the port and the like, which only `dev` shows.
      if ((dateOf(line.timestamp) ?? began) < began) return;
      shown.add(line.message);
      terminal.note(logText(line, terminal.errorColors));
    });
  };
  try {
    const deployment = await openFolder(client, configPath, {
      ...options,
      signal: interrupted,
      onOpened: (opened) => {
        slow = setTimeout(sayLoading, SLOW_MS, opened, new Date());
      },
    });
    return { deployment, shown };
  } finally {
    clearTimeout(slow);
    following.abort();
  }
}
