import { eventually, patience } from '../../support/wait.ts';
import type { Workbench } from '../../support/workbench/workbench.ts';

/**
 * Answers the dialog for files, which VS Code in a browser shows as a quick input that reads folders as you
 * type.
 */
export async function enterPath({ page, quickInput }: Workbench, title: string, file: string): Promise<void> {
  await quickInput.waitFor(title);
  const input = page.locator('.quick-input-widget .quick-input-box input');
  await eventually(`the dialog ${title} to be answered`, async () => {
    if ((await quickInput.state())?.title !== title) return true;
    // A path that was entered before may close it only now.
    const isFilled = await input.fill(file, { timeout: 1000 * patience }).then(
      () => true,
      () => false,
    );
    if (!isFilled) return false;
    await input.press('Enter', { timeout: 1000 * patience }).catch(() => {});
    // It reads the folder before it closes, and begins again when something else is typed meanwhile.
    return eventually(
      'it to close',
      async () => (await quickInput.state())?.title !== title,
      Boolean,
      5_000,
    ).catch(() => false);
  });
}
