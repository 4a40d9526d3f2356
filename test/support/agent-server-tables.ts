import { a2a, mcp } from '../../src/contract/agent-server/agents.ts';
import { archive } from '../../src/contract/agent-server/archive.ts';
import { assistants } from '../../src/contract/agent-server/assistants.ts';
import { crons } from '../../src/contract/agent-server/crons.ts';
import { recordings } from '../../src/contract/agent-server/exchanges.ts';
import { nodes } from '../../src/contract/agent-server/nodes.ts';
import { protocol } from '../../src/contract/agent-server/protocol.ts';
import { runs } from '../../src/contract/agent-server/runs.ts';
import { store } from '../../src/contract/agent-server/store.ts';
import { system } from '../../src/contract/agent-server/system.ts';
import { threadStream, threads } from '../../src/contract/agent-server/threads.ts';
import { ui } from '../../src/contract/agent-server/ui.ts';

/** The tables of endpoints that a deployment has. */
export const agentServerTables = {
  archive,
  recordings,
  nodes,
  assistants,
  threads,
  threadStream,
  runs,
  crons,
  store,
  protocol,
  mcp,
  a2a,
  ui,
  system,
};
