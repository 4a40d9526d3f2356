import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { FrameLocator } from 'playwright-core';
import { z } from 'zod';

const Violations = z.array(
  z.object({
    id: z.string(),
    help: z.string(),
    nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
  }),
);

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const options = JSON.stringify({
  resultTypes: ['violations'],
  // Axe would put the styles that it loads into style elements, which the policy of the webviews forbids.
  preload: false,
});

/** Axe's findings in the document of a webview, one text per element. The driver may run scripts there. */
export async function axeViolations(frame: FrameLocator): Promise<string[]> {
  const body = frame.locator('body');
  const script = `${source}; axe.run(document, ${options}).then(({ violations }) => violations)`;
  const found = Violations.parse(await body.evaluate(script));
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${help}\n${html.slice(0, 300)}\n${failureSummary}`),
  );
}
