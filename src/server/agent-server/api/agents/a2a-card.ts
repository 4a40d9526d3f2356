import type { Assistant } from '../../../../contract/agent-server/assistants.ts';

/** The protocol version for clients of A2A 0.3, where versions have a patch number. */
const LEGACY_VERSION = '0.3.0';
/** The protocol versions for newer clients. Older clients only read `protocolVersion`. */
const SUPPORTED_VERSIONS = ['1.0', '0.3'];
const MODES = ['application/json', 'text/plain'];

/**
 * An assistant's card, with the fields of A2A 1.0 and 0.3.
 * @param url the address of the assistant's JSON-RPC endpoint.
 * @param version the version of the agent server.
 */
export function agentCard(assistant: Assistant, url: string, version: string) {
  const { name, description, graph_id } = assistant;
  return {
    protocolVersion: LEGACY_VERSION,
    name,
    description: description ?? `Runs the graph ${graph_id}.`,
    url,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url, transport: 'JSONRPC' }],
    supportedInterfaces: SUPPORTED_VERSIONS.map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      protocolVersion,
    })),
    version,
    capabilities: {
      streaming: true,
      pushNotifications: false,
      stateTransitionHistory: false,
      extendedAgentCard: false,
    },
    supportsAuthenticatedExtendedCard: false,
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: [{ id: graph_id, name, description: description ?? graph_id, tags: ['langgraph'] }],
  };
}
