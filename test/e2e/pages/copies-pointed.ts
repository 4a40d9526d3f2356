import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/wait.ts';
import { chooseMenuItem } from '../../support/workbench/menu.ts';

/** Chooses an item of the context menu of a place in a webview, and waits until the clipboard has what is wanted. */
export async function copiesPointed(
  page: Page,
  pointedAt: Locator,
  item: string,
  isWanted: (text: string) => boolean,
): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const open = () => pointedAt.click({ button: 'right', position: { x: 12, y: 6 } });
  await open();
  await chooseMenuItem(page, item, open);
  await eventually(
    `${item} to copy`,
    async () => String(await page.evaluate('navigator.clipboard.readText()')),
    isWanted,
  );
}
