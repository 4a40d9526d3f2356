import type { ResourceLimits } from '../../../containers/run-arguments.ts';
import { ResourceSpec } from '../../../contract/control-plane/sources.ts';

/**
 * The limits for a deployment's containers, otherwise its requested resources; 0 means no limit. @param spec the
 * deployment's `resource_spec`.
 */
export function limitsOf(spec: unknown): ResourceLimits {
  const read = ResourceSpec.safeParse(spec ?? {});
  if (!read.success) return {};
  const { cpu, cpu_limit, memory_mb, memory_limit_mb } = read.data;
  return { cpus: cpu_limit || cpu || undefined, memoryMb: memory_limit_mb || memory_mb || undefined };
}
