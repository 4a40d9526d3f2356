import type { Part } from '../runs/parts.ts';

const JSON_TYPE = 'application/json';

/**
 * The parts of a request as arrays, for transfer between threads: an object per part costs six times as much.
 */
export interface PackedParts {
  readonly names: readonly string[];
  /** The offset and length of each part. */
  readonly ranges: Uint32Array<ArrayBuffer>;
  /** More about the parts that are not JSON, or not in the request's buffer; `at` is the index of the part. */
  readonly others: readonly {
    readonly at: number;
    readonly contentType: string;
    readonly staged: string | undefined;
    readonly object: string | undefined;
  }[];
}

/** Packs parts for transfer to the storage thread, where `unpackParts` restores them. */
export function packParts(parts: readonly Part[]): PackedParts {
  const ranges = new Uint32Array(2 * parts.length);
  const others: PackedParts['others'][number][] = [];
  const names = parts.map(({ name, offset, length, contentType, staged, object }, at) => {
    ranges[2 * at] = offset;
    ranges[2 * at + 1] = length;
    if (contentType !== JSON_TYPE || staged !== undefined) others.push({ at, contentType, staged, object });
    return name;
  });
  return { names, ranges, others };
}

/** Restores the parts that `packParts` has packed. */
export function unpackParts({ names, ranges, others }: PackedParts): Part[] {
  const parts = names.map(
    (name, at): Part => ({
      name,
      contentType: JSON_TYPE,
      offset: ranges[2 * at] ?? 0,
      length: ranges[2 * at + 1] ?? 0,
    }),
  );
  for (const { at, contentType, staged, object } of others) {
    const part = parts[at];
    if (part === undefined) continue;
    parts[at] = {
      ...part,
      contentType,
      ...(staged === undefined ? {} : { staged }),
      ...(object === undefined ? {} : { object }),
    };
  }
  return parts;
}
