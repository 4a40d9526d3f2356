import type { Locator, Page } from 'playwright-core';
import { eventually, patience } from '../wait.ts';

/** The titles of the open menu. */
export async function menuItems(page: Page): Promise<string[]> {
  await menu(page).waitFor();
  // Leaves out the keys that stand behind the titles.
  const items = await menu(page).getByRole('menuitem').locator('.action-label').allInnerTexts();
  return items.map((item) => item.trim()).filter(Boolean);
}

/** Whether a menu opens soon. */
export async function isMenuOpen(page: Page): Promise<boolean> {
  return menu(page)
    .waitFor({ timeout: 3000 * patience })
    .then(
      () => true,
      () => false,
    );
}

/**
 * Chooses an item of the open menu by its title.
 *
 * @param reopen opens the menu again: VS Code closes a menu when it redraws its place
 */
export async function chooseMenuItem(
  page: Page,
  title: string,
  reopen: () => Promise<unknown> = async () => {},
): Promise<void> {
  await menu(page).waitFor();
  const label = page.locator('.action-label').getByText(title, { exact: true });
  const item = menu(page).getByRole('menuitem').filter({ has: label });
  let isClicked = false;
  // For its first 100 ms, a menu ignores clicks, so that the click that opened it does not choose an item.
  await eventually(`the menu item ${title} to be taken`, async () => {
    if (await item.isVisible()) {
      await item.click({ timeout: 1000 * patience });
      isClicked = true;
    } else if ((await menu(page).count()) > 0)
      throw new Error(`the menu has: ${(await menuItems(page)).join(', ')}`);
    else if (!isClicked) await reopen();
    return isClicked && (await menu(page).count()) === 0;
  });
}

function menu(page: Page): Locator {
  return page.locator('.monaco-menu');
}
