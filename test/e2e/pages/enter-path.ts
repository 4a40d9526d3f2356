import { eventually } from '../../support/wait.ts';
import type { Workbench } from '../../support/workbench/workbench.ts';

/** Answers the dialog for files, which VS Code in a browser has as a quick input that reads folders as one types. */
export async function enterPath({ quickInput }: Workbench, title: string, file: string): Promise<void> {
  await quickInput.waitFor(title);
  await eventually(`the dialog ${title} to be answered`, async () => {
    if ((await quickInput.state())?.title !== title) return true;
    await quickInput.type(file);
    await quickInput.accept();
    return false;
  });
}
