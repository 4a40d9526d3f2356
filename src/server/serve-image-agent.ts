import type { LogLine } from '../contract/harbor.ts';
import { FolderStore } from './folders/folder-store.ts';
import type { ImageAgent } from './image-agent.ts';
import type { Logger } from './logger.ts';
import type { Serving } from './make-serving.ts';
import type { ServerState } from './open-state.ts';
import { LogBook } from './runtimes/output/log-book.ts';

/** The server's log levels, by the log levels of deployments. */
const LEVELS = {
  DEBUG: 'debug',
  INFO: 'info',
  WARNING: 'warn',
  ERROR: 'error',
  CRITICAL: 'fatal',
} as const satisfies Record<LogLine['level'], string>;

/**
 * Serves the agent of an image, without watching its files. The agent's log is written to the server's log.
 * Resolves when its graphs have loaded and its port is open.
 * @throws RollOutError when a graph does not load; PortTakenError when the port is in use.
 */
export async function serveImageAgent(
  { configPath, name: givenName, port, apiKey, environment }: ImageAgent,
  { state, serving, logger }: { state: ServerState; serving: Serving; logger: Logger },
): Promise<void> {
  const { home, db, organizationId, workspaceId, tracingKey } = state;
  const store = new FolderStore(db);
  const agent = { workspaceId, name: givenName, configPath };
  const { id, name } = await db.inTurn(() => home.findAgent(store, agent));
  const log = new LogBook();
  log.follow(({ level, message, run_id, thread_id }) => {
    logger[LEVELS[level]]({ run_id, thread_id }, message);
  });
  const source = { configPath, deployed: { env: {}, inherited: environment } };
  const server = serving.maker.make({
    id,
    organizationId,
    workspaceId,
    name,
    source,
    log,
    tracingKey,
    requiresKey: () => apiKey !== undefined,
    host: '0.0.0.0',
    onRuntimeState: () => {},
  });
  await server.rollOut(source, new AbortController().signal);
  await serving.agents.start(id, server, { port, whenTaken: 'fail', graphs: 'loaded' });
  logger.info({ port }, 'the agent is served');
}
