import type { Objects } from '../../src/server/team/objects/objects.ts';
import { openObjects } from '../../src/server/team/objects/open-objects.ts';
import { TraceObjects } from '../../src/server/team/traces/trace-objects.ts';
import type { OpenTraceObjects } from '../../src/server/traces-thread/trace-object-store.ts';

/** An object store, and how a server’s traces use it. */
export interface TestTraceObjects {
  readonly objects: Objects;
  readonly open: OpenTraceObjects;
}

export async function traceObjectsAt(
  place: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<TestTraceObjects> {
  const objects = await openObjects(place, environment);
  return { objects, open: (tracing) => new TraceObjects({ ...tracing, objects }) };
}
