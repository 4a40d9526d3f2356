import { escapeHtml } from '../../http/escape-html.ts';

/** The HTML page that a browser shows after a provider's redirect. It has no scripts. */
export function callbackPage(title: string, sentence: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1.5rem; }
  h1 { font-size: 1.4rem; }
</style>
<main>
  <h1>${escapeHtml(title)}</h1>
  <p>${escapeHtml(sentence)}</p>
</main>
</html>
`;
}
