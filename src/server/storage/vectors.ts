import { endianness } from 'node:os';

/**
 * Converts a vector to its stored form: Float32 little endian, scaled to length one, so that a dot product is the cosine.
 * @throws RangeError for a vector with another number of dimensions, or with a value that is not finite.
 */
export function toVectorBytes(vector: readonly number[], dimensions: number): Uint8Array {
  if (vector.length !== dimensions) {
    throw new RangeError(
      `The embed function returned ${vector.length} numbers, but store.index.dims is ${dimensions}.`,
    );
  }
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length))
    throw new RangeError('The embed function returned a value that is not a finite number.');
  const bytes = new DataView(new ArrayBuffer(dimensions * 4));
  for (const [at, value] of vector.entries()) {
    bytes.setFloat32(at * 4, length === 0 ? 0 : value / length, true);
  }
  return new Uint8Array(bytes.buffer);
}

/** The cosine of two stored vectors, from -1 to 1; null when they cannot be compared. */
export function cosine(a: unknown, b: unknown): number | null {
  if (!(a instanceof Uint8Array) || !(b instanceof Uint8Array) || a.length !== b.length) return null;
  const left = toFloats(a);
  const right = toFloats(b);
  let sum = 0;
  for (let at = 0; at < left.length; at++) sum += (left[at] ?? 0) * (right[at] ?? 0);
  return sum;
}

function toFloats(bytes: Uint8Array): Float32Array {
  if (endianness() === 'LE' && bytes.byteOffset % 4 === 0) {
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(at * 4, true));
}
