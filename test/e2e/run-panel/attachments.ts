import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { eventually } from '../../support/wait.ts';
import { look } from '../pages/check-appearance.ts';
import type { PanelAgents } from './panel-agents.ts';

/** Tests of what messages contain besides text: pictures and files, in questions and in answers. */
export function attachmentFlows(at: () => PanelAgents): void {
  it('shows images, names other files in an answer, and sends pasted files', async () => {
    const { workbench } = at();
    const asked: string[] = [];
    workbench.page.on('request', (request) => asked.push(request.url()));
    const panel = await at().open('picture');
    const field = panel.frame.getByRole('textbox', { name: 'Message' });
    await field.fill('What is this?');
    await pasteFile(field, { name: 'tides.csv', type: 'text/csv', text: 'tide tables' });
    await panel.frame.getByText('tides.csv · CSV · 11 bytes').waitFor();
    await field.press('Enter');
    assert.equal(await panel.outcome(), 'Done');
    await panel.waitForAnswer('It was sent a file.');
    const { frame } = panel;
    await frame.locator('.bubble').getByText('tides.csv · CSV · 11 bytes').waitFor();
    const answer = frame.getByRole('article', { name: 'Agent, node paint' }).first();
    for (const name of ['Image · PNG · 74 bytes', 'Image · evil.example', 'chart'])
      await answer.getByText(name, { exact: true }).waitFor();
    assert.deepEqual(
      await widthsOf(answer.locator('img')),
      [8, 8],
      'the picture of the text and the one of the block have been drawn',
    );
    assert.equal(await answer.locator('td br').count(), 1);
    assert.ok(await isRightToLeft(answer.locator('ul').first()));
    await look(workbench, frame, 'run-pictures');
    await answer.getByRole('button', { name: 'Open Image · PNG' }).click();
    await eventually(
      'the picture in an editor',
      () => workbench.editors.tabs(),
      (tabs) => tabs.some((tab) => tab.includes('image-1.png')),
    );
    assert.deepEqual(
      asked.filter((url) => url.includes('evil.example')),
      [],
    );
  });
}

/** The natural widths of images, in pixels; 0 for one that was not drawn. */
function widthsOf(images: Locator): Promise<number[]> {
  return images.evaluateAll((all: readonly { naturalWidth: number }[]) =>
    all.map(({ naturalWidth }) => naturalWidth),
  );
}

function isRightToLeft(element: Locator): Promise<boolean> {
  return element.evaluate((node: { matches(selector: string): boolean }) => node.matches(':dir(rtl)'));
}

/** Pastes a file into a field, as a browser does. */
async function pasteFile(
  field: Locator,
  pasted: { readonly name: string; readonly type: string; readonly text: string },
): Promise<void> {
  await field.evaluate((element: PasteTarget, { name, type, text }) => {
    const { DataTransfer, File, ClipboardEvent } = globalThis as unknown as PastePage;
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([text], name, { type }));
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, pasted);
}

interface PasteTarget {
  dispatchEvent(event: unknown): boolean;
}

/** Classes of the page, for which tests have no types. */
interface PastePage {
  readonly DataTransfer: new () => { readonly items: { add(file: unknown): void } };
  readonly File: new (parts: readonly string[], name: string, options: { type: string }) => unknown;
  readonly ClipboardEvent: new (type: string, options: object) => unknown;
}
