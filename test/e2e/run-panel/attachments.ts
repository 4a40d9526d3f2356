import assert from 'node:assert/strict';
import { eventually } from '../../support/wait.ts';
import { look } from '../pages/check-appearance.ts';
import type { PanelAgents } from './panel-agents.ts';

/** The content of messages besides text, both ways. */
export function attachmentFlows(at: () => PanelAgents): void {
  it('shows pictures, names what else an answer holds, and sends pasted files along', async () => {
    const { workbench } = at();
    const asked: string[] = [];
    workbench.page.on('request', (request) => asked.push(request.url()));
    const panel = await at().open('picture');
    const field = panel.frame.getByRole('textbox', { name: 'Message' });
    await field.fill('What is this?');
    await field.evaluate((element: PasteTarget) => {
      const { DataTransfer, File, ClipboardEvent } = globalThis as unknown as PastePage;
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(['tide tables'], 'tides.csv', { type: 'text/csv' }));
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await panel.frame.getByText('tides.csv · CSV · 11 bytes').waitFor();
    await field.press('Enter');
    assert.equal(await panel.outcome(), 'Done');
    await panel.waitForAnswer('It was sent a file.');
    const { frame } = panel;
    await frame.locator('.bubble').getByText('tides.csv · CSV · 11 bytes').waitFor();
    const answer = frame.getByRole('article', { name: 'Agent, node paint' }).first();
    for (const name of ['Image · PNG · 74 bytes', 'Image · evil.example', 'chart'])
      await answer.getByText(name, { exact: true }).waitFor();
    const widths = await answer
      .locator('img')
      .evaluateAll((images: readonly { naturalWidth: number }[]) =>
        images.map(({ naturalWidth }) => naturalWidth),
      );
    assert.deepEqual(widths, [8, 8], 'the picture of the text and the one of the block have been drawn');
    assert.equal(await answer.locator('td br').count(), 1);
    assert.equal(
      await answer
        .locator('ul')
        .first()
        .evaluate((list: DirectedElement) => list.matches(':dir(rtl)')),
      true,
    );
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

interface DirectedElement {
  matches(selector: string): boolean;
}

interface PasteTarget {
  dispatchEvent(event: unknown): boolean;
}

/** The parts of the page that a paste is made of. */
interface PastePage {
  readonly DataTransfer: new () => { readonly items: { add(file: unknown): void } };
  readonly File: new (parts: readonly string[], name: string, options: { type: string }) => unknown;
  readonly ClipboardEvent: new (type: string, options: object) => unknown;
}
