import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';

/** How many bytes are read at a time: a multiple of every page size. */
const CHUNK_BYTES = 1024 * 1024;
/** The length of the database's header, with which the first page begins. */
const HEADER_BYTES = 100;
/** SQLite locks bytes at this offset, and stores nothing in their page. */
const LOCK_BYTE = 0x40_00_00_00;
const POINTER_MAP_ENTRY_BYTES = 5;
/** The types of b-tree pages, which are the first byte of a page. */
const INTERIOR = [2, 5];
const LEAF = [10, 13];
/** With more pages than this, an overflow page could be mistaken for a b-tree page. */
const MAX_PAGES = 2 ** 25;

/**
 * Overwrites the unused middle of the pages of a database, where SQLite leaves copies of rows that it has
 * moved to another page, even with `secure_delete` (https://sqlite.org/fileformat2.html#b_tree_pages). This
 * happens in the file itself, while the file contains the whole database and nothing else writes to it. The
 * file stays open: a process that closes any descriptor of a file loses its locks on the file.
 */
export class PageGaps {
  readonly #descriptor: number;
  #next = 0;

  /** @param file the file of a database with `auto_vacuum`. */
  constructor(file: string) {
    this.#descriptor = openSync(file, 'r+');
  }

  /** Starts again with the first page. */
  restart(): void {
    this.#next = 0;
  }

  /**
   * Overwrites gaps until a time of `performance.now()`; another call continues. @returns whether all pages are done.
   */
  overwrite(until: number): boolean {
    const { size } = fstatSync(this.#descriptor);
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size));
    while (this.#next < size) {
      const length = readSync(this.#descriptor, chunk, 0, chunk.length, this.#next);
      if (length === 0) break;
      this.#overwriteIn(chunk.subarray(0, length), this.#next, this.#pageBytes());
      this.#next += length;
      if (performance.now() > until && this.#next < size) return false;
    }
    fsyncSync(this.#descriptor);
    return true;
  }

  /**
   * Closes the file. This must happen after the last connection of this process to the file has been closed.
   */
  close(): void {
    closeSync(this.#descriptor);
  }

  #pageBytes(): number {
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(this.#descriptor, header, 0, HEADER_BYTES, 0);
    const bytes = header.readUInt16BE(16);
    // The field cannot contain 65,536, which is stored as 1.
    return bytes === 1 ? 65_536 : bytes;
  }

  #overwriteIn(chunk: Buffer, offset: number, pageBytes: number): void {
    for (let at = 0; at + pageBytes <= chunk.length; at += pageBytes) {
      const number = (offset + at) / pageBytes + 1;
      const gap = gapOf(chunk.subarray(at, at + pageBytes), number);
      if (gap === undefined || isClear(chunk, at + gap.from, at + gap.to)) continue;
      writeSync(
        this.#descriptor,
        Buffer.alloc(gap.to - gap.from),
        0,
        gap.to - gap.from,
        offset + at + gap.from,
      );
    }
  }
}

/**
 * The unused bytes between the pointers to a page's cells and the first cell; undefined for a page without
 * cells.
 * @param number the page's number in the file, which begins at 1.
 */
export function gapOf(page: Buffer, number: number): { from: number; to: number } | undefined {
  if (number >= MAX_PAGES || isPointerMap(number, page.length)) return undefined;
  if ((number - 1) * page.length === LOCK_BYTE) return undefined;
  const header = number === 1 ? HEADER_BYTES : 0;
  const type = page[header] ?? 0;
  if (!INTERIOR.includes(type) && !LEAF.includes(type)) return undefined;
  const cells = page.readUInt16BE(header + 3);
  const from = header + (INTERIOR.includes(type) ? 12 : 8) + 2 * cells;
  const to = page.readUInt16BE(header + 5) || 65_536;
  return from < to && to <= page.length ? { from, to } : undefined;
}

/** Whether a page describes other pages: databases with `auto_vacuum` have such pages at regular intervals. */
function isPointerMap(number: number, pageBytes: number): boolean {
  const between = Math.floor(pageBytes / POINTER_MAP_ENTRY_BYTES) + 1;
  return number >= 2 && (number - 2) % between === 0;
}

function isClear(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== 0) return false;
  return true;
}
