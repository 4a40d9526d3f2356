import * as vscode from 'vscode';
import { z } from 'zod';
import { type TokenRule, TokenRules } from './token-rules.ts';

/** The scopes that the names in `editor.tokenColorCustomizations` stand for. */
const GROUPS: Readonly<Record<string, string[]>> = {
  comments: ['comment', 'punctuation.definition.comment'],
  strings: ['string', 'meta.embedded.assembly'],
  keywords: ['keyword - keyword.operator', 'keyword.control', 'storage', 'storage.type'],
  numbers: ['constant.numeric'],
  types: ['entity.name.type', 'entity.name.class', 'support.type', 'support.class'],
  functions: ['entity.name.function', 'support.function'],
  variables: ['variable', 'entity.name.variable'],
};

/** The setting, or its part for a theme. VS Code ignores other values too. */
const Section = z.record(z.string(), z.unknown()).catch({});
/** A color of a group, alone or with a font style, which is not used here. */
const Color = z.union([
  z.string(),
  z.object({ foreground: z.string() }).transform(({ foreground }) => foreground),
]);

/** The rules of `editor.tokenColorCustomizations` for a theme, which override the theme's own. */
export function readCustomRules(theme: string): TokenRule[] {
  const all = Section.parse(vscode.workspace.getConfiguration('editor').get('tokenColorCustomizations'));
  const own = Object.entries(all).filter(([key]) => isFor(key, theme));
  return [all, ...own.map(([, section]) => section)].flatMap(rulesIn);
}

function rulesIn(value: unknown): TokenRule[] {
  const section = Section.parse(value);
  const groups = Object.entries(GROUPS).flatMap(([name, scope]) => {
    const color = Color.safeParse(section[name]);
    return color.success ? [{ scope, settings: { foreground: color.data } }] : [];
  });
  return [...groups, ...TokenRules.parse(section.textMateRules)];
}

/** Whether a key such as `[Monokai][*Light*]` names a theme. */
function isFor(key: string, theme: string): boolean {
  return [...key.matchAll(/\[([^\]]+)\]/g)].some(([, name = '']) => {
    const pattern = name.replace(/[\\^$.+?()[\]{}|]/g, '\\$&').replaceAll('*', '.*');
    return new RegExp(`^${pattern}$`).test(theme);
  });
}
