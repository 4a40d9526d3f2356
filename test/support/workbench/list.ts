import type { Locator, Page } from 'playwright-core';
import { eventually } from '../wait.ts';
import type { DomElement } from './dom.ts';
import type { Row } from './row.ts';

/** The drawn part of a virtual list: the rows in sight and a few around them. */
interface Drawn {
  /** The size of the visible part, in pixels. */
  readonly height: number;
  /** How far it is scrolled, in pixels. */
  readonly scrolled: number;
  /** How far it can be scrolled, in pixels. */
  readonly end: number;
  readonly rows: readonly DrawnRow[];
}

interface DrawnRow {
  readonly index: number;
  readonly isLast: boolean;
  /** Where it is, in pixels from the beginning of the list. */
  readonly top: number;
  readonly bottom: number;
  readonly row: Row;
}

/** VS Code's lists scroll by this many pixels per turn of the wheel, however far it is turned. */
const notch = 50;
const rowHeight = 22;
/** After this many reads that found a list where it was, a turn of the wheel is considered lost. */
const turnLostAfterReads = 10;
/** If the list has not reached the row by then, its rows have changed. */
const scrollTimeoutMs = 5_000;

/** Reads all rows of a virtual list, scrolling to the end and back when they do not fit. */
export async function readAllRows(page: Page, list: Locator): Promise<Row[]> {
  let drawn = await read(list);
  if (drawn.rows.length === 0 || (drawn.rows[0]?.index === 0 && drawn.rows.at(-1)?.isLast)) {
    return drawn.rows.map(({ row }) => row);
  }
  const rows = new Map<number, Row>();
  drawn = await scrollBy(page, list, drawn, -drawn.scrolled);
  while (rows.size <= (drawn.rows.at(-1)?.index ?? 0)) {
    for (const { index, row } of drawn.rows) rows.set(index, row);
    if (drawn.rows.at(-1)?.isLast) break;
    drawn = await scrollBy(page, list, drawn, drawn.height - rowHeight);
  }
  await scrollBy(page, list, drawn, -drawn.scrolled);
  return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row);
}

/** Scrolls until all of a row is in sight, and returns it. */
export async function scrollToRow(page: Page, list: Locator, index: number): Promise<Row> {
  const inSight = async (): Promise<Row | undefined> => {
    const drawn = await read(list);
    const { rows, scrolled, height } = drawn;
    const found = rows.find((row) => row.index === index);
    if (!found) await scrollBy(page, list, drawn, index < (rows[0]?.index ?? 0) ? -height : height);
    else if (found.top < scrolled) await scrollBy(page, list, drawn, -notch);
    else if (found.bottom > scrolled + height) await scrollBy(page, list, drawn, notch);
    else return found.row;
    return undefined;
  };
  // If the row does not come into sight, this throws, and the caller reads the rows again.
  return eventually(`row ${index} of a list in sight`, inSight, Boolean, scrollTimeoutMs);
}

/**
 * Scrolls by at most this many pixels, but at least one notch, and returns the rows that are drawn
 * afterwards. It turns the wheel, because native scrolling would break the list.
 */
async function scrollBy(page: Page, list: Locator, from: Drawn, pixels: number): Promise<Drawn> {
  if (pixels === 0) return from;
  const turns = Math.max(1, pixels < 0 ? Math.ceil(-pixels / notch) : Math.floor(pixels / notch));
  const target = Math.min(Math.max(0, from.scrolled + Math.sign(pixels) * turns * notch), from.end);
  if (target === from.scrolled) return from;
  const box = await list.boundingBox();
  if (!box) throw new Error('the list is not visible');
  await page.mouse.move(box.x + 5, box.y + 5);
  await Promise.all(Array.from({ length: turns }, () => page.mouse.wheel(0, Math.sign(pixels) * 100)));
  let before = from.scrolled;
  let still = 0;
  const arrived = async (): Promise<Drawn | undefined> => {
    const drawn = await read(list);
    const left = Math.min(target, drawn.end) - drawn.scrolled;
    if (left === 0) return drawn;
    still = drawn.scrolled === before ? still + 1 : 0;
    before = drawn.scrolled;
    // A list that is being redrawn loses turns of the wheel.
    if (still > 0 && still % turnLostAfterReads === 0) await page.mouse.wheel(0, Math.sign(left) * 100);
    return undefined;
  };
  // The caller starts over with the rows that are drawn then.
  return eventually('a list to scroll', arrived, Boolean, scrollTimeoutMs);
}

async function read(list: Locator): Promise<Drawn> {
  return list.evaluate((element: DomElement): Drawn => {
    const rows = [...element.querySelectorAll('.monaco-list-rows > .monaco-list-row')].map(
      (row): DrawnRow => {
        const top = Number.parseFloat(row.style.top);
        const expanded = row.getAttribute('aria-expanded');
        const icon = row.querySelector('.custom-view-tree-node-item-icon');
        return {
          index: Number(row.getAttribute('data-index')),
          isLast: row.getAttribute('data-last-element') === 'true',
          top,
          bottom: top + Number.parseFloat(row.style.height),
          row: {
            level: Number(row.getAttribute('aria-level')),
            label: row.querySelector('.label-name')?.textContent ?? '',
            description: row.querySelector('.label-description')?.textContent ?? '',
            icon: /codicon-([\w-]+)/.exec(icon?.className ?? '')?.[1] ?? '',
            isExpanded: expanded === null ? undefined : expanded === 'true',
            isSelected: row.getAttribute('aria-selected') === 'true',
          },
        };
      },
    );
    const height = element.querySelector('.monaco-scrollable-element')?.offsetHeight ?? 0;
    const content = element.querySelector('.monaco-list-rows');
    return {
      height,
      scrolled: -Number.parseFloat(content?.style.top ?? '') || 0,
      end: Math.max(0, Number.parseFloat(content?.style.height ?? '') - height),
      rows: rows.sort((a, b) => a.index - b.index),
    };
  });
}
