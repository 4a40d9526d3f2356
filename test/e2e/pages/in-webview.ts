import type { FrameLocator, Locator } from 'playwright-core';

/**
 * The parts of a document that these functions use. The functions run inside the webview, where nothing else in this
 * module exists.
 */
interface Element {
  readonly tagName: string;
  readonly outerHTML: string;
  getAttribute(name: string): string | null;
  getAttributeNames(): string[];
}

interface NamedElement {
  readonly textContent: string | null;
  readonly labels?: Iterable<{ readonly textContent: string | null }>;
  getAttribute(name: string): string | null;
}

export interface ScrollBox {
  scrollTop: number;
  readonly scrollWidth: number;
  readonly clientWidth: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
}

interface Body {
  readonly dataset: Readonly<Record<string, string | undefined>>;
  querySelectorAll(selector: string): Iterable<Element>;
}

interface Page {
  requestAnimationFrame(call: (time: number) => void): number;
  __frames?: { frames: number; longest: number };
}

/** Starts measuring the drawn frames. */
export function watchFrames(): void {
  const page = globalThis as unknown as Page;
  const seen = { frames: 0, longest: 0 };
  page.__frames = seen;
  let before: number | undefined;
  const next = (time: number): void => {
    seen.frames += 1;
    if (before !== undefined) seen.longest = Math.max(seen.longest, time - before);
    before = time;
    page.requestAnimationFrame(next);
  };
  page.requestAnimationFrame(next);
}

/** How many frames there have been since, and how long the longest took, in milliseconds. */
export function framesSoFar(): { frames: number; longest: number } {
  return (globalThis as unknown as Page).__frames ?? { frames: 0, longest: 0 };
}

/** Whether a box shows all of its width. */
export function fitsInWidth({ scrollWidth, clientWidth }: ScrollBox): boolean {
  return scrollWidth <= clientWidth;
}

/** The focused element, by the name that screen readers say. */
export function focusedName(): string {
  const { document } = globalThis as unknown as { document: { activeElement: NamedElement | null } };
  const element = document.activeElement;
  const name = element?.getAttribute('aria-label') ?? element?.getAttribute('label') ?? undefined;
  const labels = [...(element?.labels ?? [])].map(({ textContent }) => textContent ?? '');
  return (name ?? labels[0] ?? element?.textContent ?? '').trim();
}

/** Scrolls through all of a box, so that every row has been in the document once. */
export async function seeEverything(box: Locator): Promise<void> {
  for (let page = 0; page < 200; page++) {
    const isAtEnd = await box.evaluate((element: ScrollBox, isFirst) => {
      element.scrollTop = isFirst ? 0 : element.scrollTop + element.clientHeight;
      return element.scrollTop + element.clientHeight >= element.scrollHeight - 2;
    }, page === 0);
    if (isAtEnd) return;
  }
}

/**
 * Everything in a webview that has run code, could run or load something, or has a link that does not lead to
 * the web.
 */
export async function dangersIn(frame: FrameLocator): Promise<string[]> {
  return frame.locator('body').evaluate((body: Body) => {
    const found: string[] = body.dataset.pwned === undefined ? [] : ['a script has run'];
    const cut = ({ outerHTML }: Element) => outerHTML.slice(0, 200);
    for (const element of body.querySelectorAll('iframe, img, object, embed, link, base, meta, audio, video'))
      found.push(cut(element));
    for (const element of body.querySelectorAll('script:not([src][nonce]), form[action], style:not([id])'))
      found.push(cut(element));
    for (const element of body.querySelectorAll('*'))
      if (element.getAttributeNames().some((name) => /^on/.test(name))) found.push(cut(element));
    for (const link of body.querySelectorAll('a'))
      if (!/^(https?|mailto):/i.test(link.getAttribute('href') ?? 'https:')) found.push(cut(link));
    return found;
  });
}
