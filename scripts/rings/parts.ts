import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { RingFile } from './results.ts';
import { type ChecksRing, filesOf, type MochaRing, type Ring, type RunnerRing } from './rings.ts';

/** A ring, or some of its files, which a lane runs in one process. */
export type Part = {
  /** Identifies the part where several lanes print: `static`, `server/2`, `e2e/views`. */
  readonly label: string;
  /** Roughly how long it takes. */
  readonly seconds: number;
} & (
  | { readonly ring: ChecksRing | RunnerRing }
  | { readonly ring: MochaRing; readonly files: readonly string[] }
);

/** Files that take longer are listed in long-files.json. */
const SHORT_SECONDS = 5;

/** Most unlisted files take less than a second; a new one may take longer. */
const UNLISTED_SECONDS = 1;

/** The assumed time of a ring that is run as a whole, such as one that checks types or opens a window. */
const WHOLE_RING_SECONDS = 100;

/** Files are grouped into parts of about this duration: short enough that all lanes end at about the same time. */
const PART_SECONDS = 150;

/** How long each file takes, in seconds, by ring and file. */
const LongFiles = z.record(z.string(), z.record(z.string(), z.number()));
export type LongFiles = z.output<typeof LongFiles>;

/** Committed, so that files are grouped in the same way in every run and on every machine. */
const LIST = path.join(import.meta.dirname, 'long-files.json');

export function longFiles(): LongFiles {
  return LongFiles.parse(JSON.parse(readFileSync(LIST, 'utf8')));
}

/** Stores which files took long. Those of rings that were not run are kept. */
export async function keepLongFiles(files: readonly RingFile[]): Promise<void> {
  const long: LongFiles = longFiles();
  for (const { ring } of files) long[ring] = {};
  for (const { ring, file, tookMs } of files.toSorted((a, b) => b.tookMs - a.tookMs)) {
    const seconds = Math.round(tookMs / 1000);
    const known = long[ring];
    if (known !== undefined && seconds > SHORT_SECONDS) known[file] = seconds;
  }
  await writeFile(LIST, `${JSON.stringify(long, null, 2)}\n`);
}

/**
 * Divides rings into the parts that lanes run. @param withLong whether to include the files that `npm test` leaves to
 * `npm run test:all`.
 */
export function partsOf(rings: readonly Ring[], withLong: boolean, long = longFiles()): Part[] {
  return rings.flatMap((ring): Part[] =>
    ring.kind === 'mocha'
      ? partsOfFiles(ring, filesOf(ring, withLong), long[ring.name])
      : [{ ring, label: ring.name, seconds: WHOLE_RING_SECONDS }],
  );
}

/** Adds each file, the longest first, to the part that takes the least time so far. */
export function partsOfFiles(
  ring: MochaRing,
  files: readonly string[],
  long: Readonly<Record<string, number>> = {},
): Extract<Part, { files: unknown }>[] {
  const timed = files
    .map((file) => ({ file, seconds: long[file] ?? UNLISTED_SECONDS }))
    .toSorted((a, b) => b.seconds - a.seconds);
  if (timed.length === 0) return [];
  const total = timed.reduce((sum, { seconds }) => sum + seconds, 0);
  const count = ring.isFileAlone
    ? files.length
    : Math.min(files.length, Math.max(1, Math.round(total / PART_SECONDS)));
  const groups = Array.from({ length: count }, (): { files: string[]; seconds: number } => ({
    files: [],
    seconds: 0,
  }));
  for (const { file, seconds } of timed) {
    const least = groups.reduce((a, b) => (b.seconds < a.seconds ? b : a));
    least.files.push(file);
    least.seconds += seconds;
  }
  return groups.map((group, index) => ({
    ring,
    label: labelOf(ring, group.files, index, count),
    seconds: group.seconds,
    files: group.files.toSorted(),
  }));
}

function labelOf(
  { name, isFileAlone }: MochaRing,
  [file = '']: readonly string[],
  index: number,
  count: number,
) {
  if (isFileAlone) return `${name}/${path.basename(file, '.test.ts')}`;
  return count === 1 ? name : `${name}/${index + 1}`;
}

/**
 * Gives each part to one lane: the longest part of the ring that needs the most time to finish, because it is
 * long or may run only a few parts at once.
 */
export class Queue {
  readonly #left: Part[];
  readonly #lanes: number;
  readonly #running = new Map<string, number>();

  constructor(parts: readonly Part[], lanes: number) {
    this.#left = parts.toSorted((a, b) => b.seconds - a.seconds);
    this.#lanes = lanes;
  }

  /** @returns undefined when no part may start now, so that the lane can end. */
  take(): Part | undefined {
    const [part] = this.#left
      .filter(({ ring }) => this.#runningOf(ring) < this.#atOnce(ring))
      .toSorted((a, b) => this.#secondsLeftOf(b.ring) - this.#secondsLeftOf(a.ring));
    if (part === undefined) return undefined;
    this.#left.splice(this.#left.indexOf(part), 1);
    this.#running.set(part.ring.name, this.#runningOf(part.ring) + 1);
    return part;
  }

  ended({ ring }: Part): void {
    this.#running.set(ring.name, this.#runningOf(ring) - 1);
  }

  #runningOf({ name }: Ring): number {
    return this.#running.get(name) ?? 0;
  }

  #atOnce(ring: Ring): number {
    return Math.min(this.#lanes, ring.kind === 'mocha' ? (ring.atOnce ?? this.#lanes) : 1);
  }

  /** The least time that a ring still needs if nothing else runs. */
  #secondsLeftOf(ring: Ring): number {
    const left = this.#left.filter((part) => part.ring.name === ring.name);
    return left.reduce((sum, { seconds }) => sum + seconds, 0) / this.#atOnce(ring);
  }
}
