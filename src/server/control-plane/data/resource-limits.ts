import type { ResourceLimits } from '../../../containers/run-arguments.ts';
import { ResourceSpec } from '../../../contract/control-plane/sources.ts';

/**
 * The limits of a deployment's containers: `cpu_limit` and `memory_limit_mb`, or else the requested `cpu` and
 * `memory_mb`. Without either, or with 0, there is no limit.
 * @param spec the deployment's `resource_spec`. Requests are checked before they are stored; a spec of an
 * earlier version that is not valid now limits nothing.
 */
export function limitsOf(spec: unknown): ResourceLimits {
  const read = ResourceSpec.safeParse(spec ?? {});
  if (!read.success) return {};
  const { cpu, cpu_limit, memory_mb, memory_limit_mb } = read.data;
  return { cpus: cpu_limit || cpu || undefined, memoryMb: memory_limit_mb || memory_mb || undefined };
}
