import type { HarborClient } from '../../client/harbor-client.ts';
import { LogLine } from '../../contract/harbor.ts';

/**
 * Reads the log of a served folder since its graphs were last loaded, without lines that only repeat the
 * state of the graphs. Ends without an error when the signal is aborted or the connection to the server is lost.
 */
export async function followLiveLog(
  client: HarborClient,
  deploymentId: string,
  signal: AbortSignal,
  show: (line: LogLine) => void,
): Promise<void> {
  const request = { params: { deployment_id: deploymentId }, query: { since_load: 'true' } } as const;
  try {
    for await (const { data } of await client.harbor.log(request, { signal })) {
      // A newer server may send lines that this version does not know.
      const line = LogLine.safeParse(data);
      if (line.success && line.data.is_state !== true) show(line.data);
    }
  } catch {
    // The signal was aborted, or the server was lost. A lost server is reported when it is restarted.
  }
}
