import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { createOnigScanner, createOnigString, loadWASM } from 'vscode-oniguruma';
import onigurumaWasm from 'vscode-oniguruma/release/onig.wasm';
import { type IGrammar, INITIAL, Registry } from 'vscode-textmate';
import type { CodeToColor, ColoredSpan } from './code-to-color.ts';
import { readColorTheme } from './color-theme.ts';
import { Grammars } from './grammars.ts';

/** VS Code does not color longer lines either (`editor.maxTokenizationLineLength`). */
const MAX_LINE_LENGTH = 20_000;
/**
 * If a grammar takes longer than this for a line, the code has no colors from that line on. The first lines
 * of a language take the longest, because they compile its regular expressions.
 */
const MAX_LINE_MS = 5_000;
/** The extension host can do other work after this many lines. */
const LINES_AT_ONCE = 200;

const oniguruma = loadWASM(onigurumaWasm).then(() => ({ createOnigScanner, createOnigString }));

interface Compiled {
  readonly grammars: Grammars;
  readonly registry: Registry;
  /** The theme whose colors the registry has; undefined before the first. */
  themeKey?: string;
}

/** The grammars, compiled as far as they were needed. */
let compiled: Compiled | undefined;
/** The previous request, which has to end first because a registry has one theme at a time. */
let previous: Promise<unknown> = Promise.resolve();

vscode.extensions.onDidChange(() => {
  compiled = undefined;
});

/**
 * Colors code like VS Code, with its grammars and the user's theme.
 * @returns spans in the order of the text; none for an unknown language
 * @throws Error if a file of the theme or of the grammar cannot be read.
 */
export function colorCode(code: CodeToColor): Promise<readonly ColoredSpan[]> {
  const spans = previous.then(() => color(code));
  // Each caller gets the error of its own request.
  previous = spans.catch(() => {});
  return spans;
}

async function color({ text, language, theme }: CodeToColor): Promise<readonly ColoredSpan[]> {
  compiled ??= makeRegistry();
  // Extensions that are installed meanwhile replace `compiled`.
  const own = compiled;
  const { grammars, registry } = own;
  const scope = grammars.scopeOf(language);
  if (scope === undefined) return [];
  const customizations = vscode.workspace.getConfiguration('editor').get('tokenColorCustomizations');
  const themeKey = JSON.stringify([theme, vscode.window.activeColorTheme.kind, customizations]);
  if (own.themeKey !== themeKey) {
    registry.setTheme(await readColorTheme(theme));
    own.themeKey = themeKey;
  }
  const grammar = await registry.loadGrammar(scope);
  return grammar === null ? [] : spansOf(text, grammar, registry.getColorMap());
}

function makeRegistry(): Compiled {
  const grammars = new Grammars();
  const registry = new Registry({
    onigLib: oniguruma,
    loadGrammar: (scope) => grammars.read(scope),
    getInjections: (scope) => grammars.injectionsOf(scope),
  });
  return { grammars, registry };
}

async function spansOf(text: string, grammar: IGrammar, colors: readonly string[]): Promise<ColoredSpan[]> {
  const spans: ColoredSpan[] = [];
  let state = INITIAL;
  let lineStart = 0;
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0 && index % LINES_AT_ONCE === 0) await setImmediate();
    if (line.length <= MAX_LINE_LENGTH) {
      const { tokens, ruleStack, stoppedEarly } = grammar.tokenizeLine2(line, state, MAX_LINE_MS);
      if (stoppedEarly) break;
      for (let at = 0; at < tokens.length; at += 2) {
        const shown = colorIn(tokens[at + 1] ?? 0, colors);
        const start = lineStart + (tokens[at] ?? 0);
        const end = lineStart + Math.min(tokens[at + 2] ?? line.length, line.length);
        if (shown !== undefined && start < end) spans.push({ start, end, color: shown });
      }
      state = ruleStack;
    }
    lineStart += line.length + 1;
  }
  return spans;
}

/**
 * The color of a token: bits 15 to 23 of its attributes are the index of its foreground. Color 1 is the
 * default.
 */
function colorIn(attributes: number, colors: readonly string[]): string | undefined {
  const number = (attributes >>> 15) & 0x1ff;
  return colors[number] === colors[1] ? undefined : colors[number];
}
