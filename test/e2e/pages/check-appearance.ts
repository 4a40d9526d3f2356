import assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { axeViolations } from '../../support/workbench/axe.ts';
import { picturedThemes, type Theme } from '../../support/workbench/theme.ts';
import type { Workbench } from '../../support/workbench/workbench.ts';

/** Takes a picture of the window, `<name>-<theme>.png`, and checks a webview in it with axe. */
export async function look(
  workbench: Workbench,
  frame: FrameLocator,
  name: string,
  themes: readonly Theme[] = picturedThemes,
): Promise<void> {
  for (const theme of themes) {
    if (themes.length > 1) await workbench.setTheme(theme);
    await workbench.screenshot(`${name}-${theme}`);
    assert.deepEqual(await axeViolations(frame), [], `axe finds nothing wrong with ${name} in ${theme}`);
  }
}
