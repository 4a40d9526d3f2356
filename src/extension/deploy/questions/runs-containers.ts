import { setTimeout as delay } from 'node:timers/promises';
import { RememberedTool } from '../../../containers/remembered-tool.ts';
import type { PlatformConnection } from '../../connections/connection.ts';

/** An engine that takes longer than this to answer counts as missing. */
const MAX_ANSWER_MS = 3_000;
/** Looks for an engine again at each question, until one is found. */
const tools = new RememberedTool(process.env);

/**
 * Whether an image can be deployed to a platform: to this machine if it has Docker or Podman. Other platforms
 * are not asked; they refuse the deployment if they cannot run it.
 */
export async function runsContainers({ place }: PlatformConnection): Promise<boolean> {
  if (place !== 'local') return true;
  const found = tools.find().then(
    () => true,
    () => false,
  );
  return Promise.race([found, delay(MAX_ANSWER_MS, false)]);
}
