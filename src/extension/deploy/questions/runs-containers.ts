import { setTimeout as delay } from 'node:timers/promises';
import { RememberedTool } from '../../../containers/remembered-tool.ts';
import type { PlatformConnection } from '../../connections/connection.ts';

/** An engine that takes longer than this to answer counts as missing. */
const ANSWER_MS = 3_000;
const tools = new RememberedTool(process.env);

/**
 * Whether a platform may run images: this machine with Docker or Podman; other platforms answer when they are
 * asked to.
 */
export async function runsContainers({ place }: PlatformConnection): Promise<boolean> {
  if (place !== 'local') return true;
  const found = tools.find().then(
    () => true,
    () => false,
  );
  return Promise.race([found, delay(ANSWER_MS, false)]);
}
