import { parse } from 'jsonc-parser';
import * as vscode from 'vscode';
import { type IRawTheme, parseRawGrammar } from 'vscode-textmate';
import { z } from 'zod';
import { contributionsOf } from './contributions.ts';
import { readCustomRules } from './custom-rules.ts';
import { readText } from './read-text.ts';
import { type TokenRule, TokenRules } from './token-rules.ts';

const Theme = z.object({ id: z.string().optional(), label: z.string(), path: z.string() });
const ThemeFile = z.object({
  include: z.string().optional(),
  colors: z.record(z.string(), z.unknown()).catch({}),
  /** The rules, or the file that has them. */
  tokenColors: z.union([z.string(), TokenRules]),
});
/** Themes in TextMate's own form. */
const TextMateTheme = z.object({ settings: TokenRules });

/**
 * VS Code's default theme of each kind, used if the theme's extension is not installed where this extension
 * runs.
 */
const DEFAULTS = {
  [vscode.ColorThemeKind.Dark]: 'Dark Modern',
  [vscode.ColorThemeKind.Light]: 'Light Modern',
  [vscode.ColorThemeKind.HighContrast]: 'Default High Contrast',
  [vscode.ColorThemeKind.HighContrastLight]: 'Default High Contrast Light',
};

/** Limits how deeply themes include others, in case they include each other. */
const MAX_INCLUDES = 20;

/**
 * The colors of code in a theme, with the user's own changes.
 * @param id as the webviews and `workbench.colorTheme` name the theme.
 * @throws Error if one of its files cannot be read.
 */
export async function readColorTheme(id: string): Promise<IRawTheme> {
  const { rules, foreground } = await rulesOf(id);
  return {
    // The first rule sets the default color. `colorCode` returns no spans in this color.
    settings: [{ settings: { foreground: foreground ?? '#000000' } }, ...rules, ...readCustomRules(id)],
  };
}

interface Rules {
  readonly rules: readonly TokenRule[];
  readonly foreground: string | undefined;
}

async function rulesOf(id: string): Promise<Rules> {
  const themes = contributionsOf('themes', Theme);
  const named = (name: string) => themes.find(({ item }) => (item.id ?? item.label) === name);
  const theme = named(id) ?? named(DEFAULTS[vscode.window.activeColorTheme.kind]);
  if (theme === undefined) return { rules: [], foreground: undefined };
  return readRules(vscode.Uri.joinPath(theme.folder, theme.item.path), MAX_INCLUDES);
}

/** @param includesLeft how many further themes may be included */
async function readRules(file: vscode.Uri, includesLeft: number): Promise<Rules> {
  if (!file.path.endsWith('.json') && !file.path.endsWith('.jsonc'))
    return { rules: await readTextMate(file), foreground: undefined };
  const theme = ThemeFile.parse(parse(await readText(file), [], { allowTrailingComma: true }));
  const beside = (path: string) => vscode.Uri.joinPath(file, '..', path);
  const base: Rules =
    theme.include === undefined || includesLeft === 0
      ? { rules: [], foreground: undefined }
      : await readRules(beside(theme.include), includesLeft - 1);
  const { tokenColors, colors } = theme;
  const own = typeof tokenColors === 'string' ? await readTextMate(beside(tokenColors)) : tokenColors;
  const foreground = colors['editor.foreground'];
  return {
    rules: [...base.rules, ...own],
    foreground: typeof foreground === 'string' ? foreground : base.foreground,
  };
}

async function readTextMate(file: vscode.Uri): Promise<TokenRule[]> {
  // The library has a reader only for grammars, which are property lists too.
  return TextMateTheme.parse(parseRawGrammar(await readText(file), file.path)).settings;
}
