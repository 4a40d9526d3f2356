import { deployments } from '../contract/control-plane/deployments.ts';
import { logs } from '../contract/control-plane/logs.ts';
import { revisions } from '../contract/control-plane/revisions.ts';
import { bind, type Calls } from './calls.ts';
import { addressBelow } from './connection.ts';
import type { EventStream } from './event-stream.ts';
import type { Transport } from './transport.ts';

/** Deployments, their revisions, and the logs of both. */
export interface ControlPlane {
  readonly deployments: Calls<typeof deployments>;
  readonly revisions: Calls<typeof revisions>;
  readonly deploymentLogs: Calls<typeof logs>;
}

export function controlPlane(transport: Transport, controlPlaneUrl: string): ControlPlane {
  const options = {
    transport,
    address: (path: string) => addressBelow(controlPlaneUrl, path),
    stream: (first: EventStream) => first,
  };
  return {
    deployments: bind(deployments, options),
    revisions: bind(revisions, options),
    deploymentLogs: bind(logs, options),
  };
}
