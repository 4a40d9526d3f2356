import type { FrameLocator, Page } from 'playwright-core';
import { eventually } from '../wait.ts';

/** After a reload, a webview comes back once the extension host has restarted and VS Code is idle. */
const MAX_WAIT_MS = 45_000;

/**
 * Finds a webview by its title. VS Code nests it in two frames: its own, identified by a number, and in it
 * the frame with the extension's document and the title.
 */
export async function visibleWebview(page: Page, title: string): Promise<FrameLocator> {
  const find = async (): Promise<string | undefined> => {
    for (const outer of await page.locator('iframe.webview.ready').all()) {
      if (!(await outer.isVisible())) continue;
      const document = outer.contentFrame().locator('iframe#active-frame');
      if ((await document.count()) === 0) continue;
      if ((await document.getAttribute('title')) === title)
        return (await outer.getAttribute('name')) ?? undefined;
    }
    return undefined;
  };
  const name = await eventually(`the webview ${title}`, find, Boolean, MAX_WAIT_MS);
  return page.frameLocator(`iframe.webview[name="${name}"]`).frameLocator('iframe#active-frame');
}
