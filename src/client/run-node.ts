import { NodeFailure, NodeResult, type nodes } from '../contract/agent-server/nodes.ts';
import type { BodyInput } from '../contract/endpoint.ts';
import type { Client } from './client.ts';
import type { CallOptions } from './transport.ts';

/**
 * Runs a node alone, to its end; nothing is stored. Aborting cancels it.
 * @throws RequestError; Error with a sentence when the node could not be run.
 */
export async function runNode(
  client: Pick<Client, 'nodes'>,
  body: BodyInput<typeof nodes.runNode>,
  options?: CallOptions,
): Promise<NodeResult> {
  for await (const { event, data } of await client.nodes.runNode({ body }, options)) {
    if (event === 'result') return NodeResult.parse(data);
    if (event === 'error') throw new Error(NodeFailure.parse(data).message);
  }
  throw new Error('The server closed the connection before the node ended.');
}
