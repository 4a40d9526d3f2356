import { isObject } from '../../../process/objects.ts';
import type { Attributes } from './attributes.ts';

/** The maximum depth, which is greater than in any convention; the rest of a deeper name is one name. */
const MAX_DEPTH = 24;
/** OpenInference puts each item of a list into a separate object, named after its kind. */
const WRAPPERS = new Set(['message', 'tool_call', 'message_content', 'document', 'embedding', 'tool']);

interface Node {
  value?: unknown;
  readonly members: Map<string, Node>;
}

/**
 * Reassembles a value from several attributes: `a.0.b.c` under the prefix `a` is `[{b: {c: …}}]`.
 * @returns `undefined` when there is nothing under the prefix.
 */
export function nestedUnder(attributes: Attributes, prefix: string): unknown {
  const root: Node = { members: new Map() };
  for (const [name, value] of Object.entries(attributes)) {
    if (!name.startsWith(`${prefix}.`)) continue;
    const parts = name.slice(prefix.length + 1).split('.');
    const deeper = parts.slice(MAX_DEPTH);
    const path = [...parts.slice(0, MAX_DEPTH), ...(deeper.length === 0 ? [] : [deeper.join('.')])];
    let node = root;
    for (const part of path) {
      const member = node.members.get(part) ?? { members: new Map() };
      node.members.set(part, member);
      node = member;
    }
    node.value = value;
  }
  return root.members.size === 0 ? undefined : nestedValue(root);
}

/** Returns the list under a prefix; `undefined` when the value is not a list. */
export function listUnder(attributes: Attributes, prefix: string): unknown[] | undefined {
  const value = nestedUnder(attributes, prefix);
  return Array.isArray(value) ? value : undefined;
}

/** Converts a node to a value. Numeric names are indexes of a list; gaps between them are closed. */
function nestedValue(node: Node): unknown {
  if (node.members.size === 0) return node.value;
  const members = [...node.members];
  if (node.value === undefined && members.every(([name]) => /^\d{1,6}$/.test(name))) {
    const sorted = members.sort(([a], [b]) => Number(a) - Number(b));
    return sorted.map(([, member]) => unwrapped(nestedValue(member)));
  }
  const entries = members.map(([name, member]) => [name, nestedValue(member)] as const);
  // An attribute that has both a value and members keeps its value under an empty name.
  return Object.fromEntries(node.value === undefined ? entries : [['', node.value], ...entries]);
}

/** The object in a wrapper; any other value as it is. */
function unwrapped(value: unknown): unknown {
  if (!isObject(value)) return value;
  const [name, ...others] = Object.keys(value);
  return name !== undefined && others.length === 0 && WRAPPERS.has(name) && isObject(value[name])
    ? value[name]
    : value;
}
