import { isObject } from '../../../process/objects.ts';
import type { Attributes } from './attributes.ts';

/** The maximum depth, which is greater than in any convention; deeper names are not split. */
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
    const path = [...parts.slice(0, MAX_DEPTH), ...joined(parts.slice(MAX_DEPTH))];
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

function joined(parts: readonly string[]): string[] {
  return parts.length === 0 ? [] : [parts.join('.')];
}

/** Converts a node to a value. Numeric names are indexes of a list, which may have gaps. */
function nestedValue(node: Node): unknown {
  if (node.members.size === 0) return node.value;
  const names = [...node.members.keys()];
  if (node.value === undefined && names.every((name) => /^\d{1,6}$/.test(name))) {
    const sorted = names.sort((a, b) => Number(a) - Number(b));
    return sorted.map((name) => unwrapped(nestedValue(node.members.get(name) ?? node)));
  }
  const entries = names.flatMap((name) => {
    const member = node.members.get(name);
    return member === undefined ? [] : [[name, nestedValue(member)] as const];
  });
  // An attribute that has both a value and members keeps its value under an empty name.
  return Object.fromEntries(node.value === undefined ? entries : [['', node.value], ...entries]);
}

function unwrapped(value: unknown): unknown {
  if (!isObject(value)) return value;
  const [name, ...others] = Object.keys(value);
  return name !== undefined && others.length === 0 && WRAPPERS.has(name) && isObject(value[name])
    ? value[name]
    : value;
}
