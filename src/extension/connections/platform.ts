/**
 * The clients of platforms, with undici behind them: imported with the first connection, so that activating
 * the extension loads almost nothing.
 */
export { createDispatcher } from '../../client/dispatcher.ts';
export { isHarbor } from '../../client/is-harbor.ts';
export { needsWorkspace } from '../../client/refusal.ts';
export { LogLine } from '../../contract/harbor.ts';
export { clientOf } from '../../launcher/client-of.ts';
export { defaultDataDir } from '../../launcher/data-dir.ts';
export { Presence } from '../../launcher/presence.ts';
export { endServer, killServer } from '../../launcher/running-server.ts';
export { followChanges } from './follow-changes.ts';
export { listWorkspaces, probe, remoteClient } from './remote-client.ts';
