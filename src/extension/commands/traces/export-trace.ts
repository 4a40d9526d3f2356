import { TraceElement } from '../../views/traces.ts';
import { rowCommand } from '../command.ts';

/** Writes a trace to a file, as OTLP in JSON. */
export const exportTrace = rowCommand([TraceElement], async (_parts: object, { client, traceId, label }) => {
  const { exportTraceFile } = await import('../../trace-files/trace-files.ts');
  await exportTraceFile(client, { traceId, label });
});
