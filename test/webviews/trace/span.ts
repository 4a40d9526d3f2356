import type { Span } from '../../../src/extension/panels/trace/messages.ts';

/** A span named like its id, which took a second. */
export function span(id: string, parent?: string, more: Partial<Span> = {}): Span {
  return {
    id,
    name: id,
    type: 'chain',
    status: 'success',
    start: 1000,
    end: 2000,
    ...(parent !== undefined && { parent }),
    ...more,
  };
}
