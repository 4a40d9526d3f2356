import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { z } from 'zod';
import { colorCode } from '../../src/extension/code-colors/color-code.ts';
import { ErrorReporter } from '../../src/extension/dialogs/errors.ts';
import { WebviewHost } from '../../src/extension/panels/webview-host.ts';
import { eventually } from '../support/wait.ts';

const Scopes = z.union([z.string(), z.array(z.string())]).optional();
const ThemeFile = z.object({
  include: z.string().optional(),
  tokenColors: z
    .array(z.object({ scope: Scopes, settings: z.object({ foreground: z.string().optional() }) }))
    .default([]),
});

/** The answer to a page, and the theme that VS Code named to it. */
const Answer = z.object({ theme: z.string().min(1), spans: z.unknown() });

/** The color that a theme's file, or else a file that it includes, has for exactly this scope. */
async function colorIn(file: string, scope: string): Promise<string | undefined> {
  const themes = vscode.extensions.getExtension('vscode.theme-defaults');
  assert.ok(themes);
  const uri = vscode.Uri.joinPath(themes.extensionUri, 'themes', file);
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  const { tokenColors, include } = ThemeFile.parse(JSON.parse(text));
  const rule = tokenColors.findLast((one) => [one.scope].flat().includes(scope));
  if (rule !== undefined) return rule.settings.foreground?.toUpperCase();
  return include === undefined ? undefined : colorIn(include.replace('./', ''), scope);
}

describe('the colors of code', function () {
  // The grammars are read and compiled on first use.
  this.timeout(120_000);

  /** The color of a part of a text; `undefined` when that is the color of text. */
  async function colorOf(part: string, text: string, language: string, theme: string) {
    const start = text.indexOf(part);
    const spans = await colorCode({ text, language, theme });
    return spans.find((span) => span.start <= start && start + part.length <= span.end)?.color;
  }

  const TYPESCRIPT = "import { a } from 'b';\n\nexport const c: number = a; // d\n";
  const PYTHON = 'import os\n\ndef run(a: int):\n    return """b\nc"""\n';
  const JSON_TEXT = '{\n  "a": ["b", 1]\n}';

  for (const [theme, file] of [
    ['Dark Modern', 'dark_modern.json'],
    ['Light Modern', 'light_modern.json'],
  ] as const) {
    it(`are those of the theme and the files that it includes (${theme})`, async () => {
      const expected = {
        keyword: await colorIn(file, 'keyword.control'),
        storage: await colorIn(file, 'storage.type'),
        string: await colorIn(file, 'string'),
        comment: await colorIn(file, 'comment'),
        key: await colorIn(file, 'support.type.property-name'),
      };
      for (const color of Object.values(expected)) assert.match(color ?? '', /^#[0-9A-F]{6}$/);
      assert.deepEqual(
        {
          keyword: await colorOf('import', TYPESCRIPT, 'ts', theme),
          storage: await colorOf('const', TYPESCRIPT, 'typescript', theme),
          string: await colorOf('b', TYPESCRIPT, 'TypeScript', theme),
          comment: await colorOf('d\n'.trim(), TYPESCRIPT.slice(TYPESCRIPT.indexOf('//')), 'ts', theme),
        },
        {
          keyword: expected.keyword,
          storage: expected.storage,
          string: expected.string,
          comment: expected.comment,
        },
      );
      assert.deepEqual(
        {
          keyword: await colorOf('return', PYTHON, 'py', theme),
          storage: await colorOf('def', PYTHON, 'python', theme),
          // The state of a line continues in the next.
          string: await colorOf('c"""', PYTHON, 'python', theme),
        },
        { keyword: expected.keyword, storage: expected.storage, string: expected.string },
      );
      assert.deepEqual(
        [await colorOf('a', JSON_TEXT, 'json', theme), await colorOf('b', JSON_TEXT, 'json', theme)],
        [(await colorIn(file, 'support.type.property-name.json')) ?? expected.key, expected.string],
      );
    });
  }

  it('are missing for a language that no extension knows, and for text in the default color', async () => {
    assert.deepEqual(await colorCode({ text: 'if a = b', language: 'klingon', theme: 'Dark Modern' }), []);
    assert.deepEqual(
      await colorCode({ text: 'Just words.', language: 'plaintext', theme: 'Dark Modern' }),
      [],
    );
  });

  it('are those of VS Code’s own theme of the same kind when the theme is installed elsewhere', async () => {
    const settings = vscode.workspace.getConfiguration('workbench');
    const setTheme = (name: string | undefined) =>
      settings.update('colorTheme', name, vscode.ConfigurationTarget.Global);
    try {
      for (const [theme, file, kind] of [
        ['Light Modern', 'light_modern.json', vscode.ColorThemeKind.Light],
        ['Dark Modern', 'dark_modern.json', vscode.ColorThemeKind.Dark],
      ] as const) {
        await setTheme(theme);
        await eventually(theme, () => vscode.window.activeColorTheme.kind === kind, Boolean);
        assert.equal(
          await colorOf('const', TYPESCRIPT, 'ts', 'A Theme of Another Machine'),
          await colorIn(file, 'storage.type'),
        );
      }
    } finally {
      await setTheme(undefined);
    }
  });

  it('follow the user’s own changes of the theme', async () => {
    const settings = vscode.workspace.getConfiguration('editor');
    const change = (value: unknown) =>
      settings.update('tokenColorCustomizations', value, vscode.ConfigurationTarget.Global);
    await change({
      strings: '#123456',
      comments: '#1} * { color: red',
      '[Dark*]': { textMateRules: [{ scope: 'storage.type', settings: { foreground: '#654321' } }] },
    });
    try {
      const inTheme = (theme: string) =>
        Promise.all(['const', 'b'].map((part) => colorOf(part, TYPESCRIPT, 'ts', theme)));
      assert.deepEqual(await inTheme('Dark Modern'), ['#654321', '#123456']);
      // Values that are not colors are ignored, because they would become part of the panel's style sheet.
      const comment = TYPESCRIPT.slice(TYPESCRIPT.indexOf('//'));
      assert.equal(
        await colorOf('d', comment, 'ts', 'Dark Modern'),
        await colorIn('dark_modern.json', 'comment'),
      );
      assert.deepEqual(await inTheme('Light Modern'), [
        await colorIn('light_modern.json', 'storage.type'),
        '#123456',
      ]);
    } finally {
      await change(undefined);
    }
  });

  it('are sent to every panel, for the theme that VS Code names to it', async () => {
    const panel = vscode.window.createWebviewPanel('colors', 'Colors', vscode.ViewColumn.One);
    const log = vscode.window.createOutputChannel('Colors of Code', { log: true });
    const answers: z.output<typeof Answer>[] = [];
    new WebviewHost({
      panel,
      extensionUri: vscode.Uri.file('/'),
      bundle: 'run',
      data: {},
      schemas: { answered: Answer },
      handlers: { answered: (answer) => answers.push(answer) },
      errors: new ErrorReporter({ window: vscode.window, commands: vscode.commands, log }),
    });
    try {
      // A page that asks for colors, and sends back the answer.
      panel.webview.html = `<!DOCTYPE html><body><script>
        const { postMessage } = acquireVsCodeApi();
        addEventListener('message', ({ data }) => {
          if (data.id === 1) postMessage({ id: 2, method: 'answered', params: { theme, spans: data.result } });
        });
        const theme = document.body.dataset.vscodeThemeId;
        postMessage({ id: 1, method: 'colorCode', params: { text: 'const a', language: 'ts', theme } });
      </script></body>`;
      const [answer] = await eventually(
        'the answer',
        () => answers,
        ({ length }) => length > 0,
      );
      const inTheme = (theme: string) => colorCode({ text: 'const a', language: 'ts', theme });
      assert.ok(answer);
      assert.deepEqual(answer.spans, await inTheme(answer.theme));
      assert.notDeepEqual(answer.spans, []);
      const isDark = vscode.window.activeColorTheme.kind === vscode.ColorThemeKind.Dark;
      assert.notDeepEqual(answer.spans, await inTheme(isDark ? 'Light Modern' : 'Dark Modern'));
    } finally {
      panel.dispose();
      log.dispose();
    }
  });
});
