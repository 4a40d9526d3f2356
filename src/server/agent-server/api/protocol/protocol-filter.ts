import type { ProtocolFilter } from '../../../../contract/agent-server/protocol.ts';
import { isObject } from '../../../../process/objects.ts';
import type { ProjectedEvent } from './projected-event.ts';

/**
 * Whether a subscription wants an event. `depth` counts from its namespaces, or from the root if it has none.
 */
export function matches(filter: ProtocolFilter, event: ProjectedEvent): boolean {
  const wanted = filter.channels.some(
    (channel) => channel === channelOf(event) || channel === namedChannelOf(event),
  );
  if (!wanted) return false;
  const { namespaces, depth } = filter;
  if (namespaces == null || namespaces.length === 0) {
    return depth == null || event.namespace.length <= depth;
  }
  return namespaces.some(
    (prefix) =>
      isPrefix(prefix, event.namespace) && (depth == null || event.namespace.length - prefix.length <= depth),
  );
}

function channelOf({ method }: ProjectedEvent): string {
  return method.startsWith('input.') ? 'input' : method;
}

function namedChannelOf({ method, data }: ProjectedEvent): string | undefined {
  return method === 'custom' && isObject(data) && typeof data.name === 'string'
    ? `custom:${data.name}`
    : undefined;
}

/** Whether a filter's namespace is a prefix. A segment without `:` also matches every task with that name. */
function isPrefix(prefix: readonly string[], namespace: readonly string[]): boolean {
  return (
    prefix.length <= namespace.length &&
    prefix.every((segment, at) => {
      const candidate = namespace[at] ?? '';
      return segment === candidate || (!segment.includes(':') && candidate.split(':', 1)[0] === segment);
    })
  );
}
