import type { Objects } from '../../src/server/storage/objects/objects.ts';
import { openObjects } from '../../src/server/storage/objects/open-objects.ts';
import type { OpenTraceObjects } from '../../src/server/traces-thread/trace-object-store.ts';
import { TraceObjects } from '../../src/server/traces-thread/trace-objects.ts';

/** An object store, and how a server's traces use it. */
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
