/**
 * Writes the output of `server.js --help` into docs/operating.md, between `<!-- server options -->` and `<!-- /server
 * options -->`, and the variables that servers read, between `<!-- server variables -->` and `<!-- /server variables
 * -->`: `node scripts/server-reference.ts [--check]`. With --check, it only says whether the file is up to date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { markdownTable } from 'markdown-table';
import { optionVariables, variableOf } from '../src/process/server-settings.ts';
import { HELP } from '../src/server/server-arguments.ts';
import { differences, FILE_VARIABLES, SERVER_VARIABLES } from './server-variables.ts';

const file = new URL('../docs/operating.md', import.meta.url);
/** An option in the help, with the lines of its text. */
const option = /^ {2}(--(\S+)(?: <\S+>)?) +(.*(?:\n {20,}.*)*)/gm;

const options = [...HELP.matchAll(option)].map(([, flags, name = '', text = '']) => {
  const variable = variableOf(name);
  return [`\`${flags}\``, optionVariables.includes(variable) ? `\`${variable}\`` : '', sentence(text)];
});
const variables = Object.entries(SERVER_VARIABLES).map(([name, { of, what }]) => {
  const inFile = `${name}_FILE`;
  return [`\`${name}\`${FILE_VARIABLES.includes(inFile) ? ', or `…_FILE`' : ''}`, of, what];
});

const wrong = differences();
if (wrong.length > 0) throw new Error(`scripts/server-variables.ts: ${wrong.join('; ')}.`);
const before = await readFile(file, 'utf8');
const after = place(
  place(before, 'server options', [['Option', 'Variable', 'What it does'], ...options]),
  'server variables',
  [['Variable', 'Servers', 'What it says'], ...variables],
);
if (!process.argv.includes('--check')) await writeFile(file, after);
else if (after !== before) {
  console.error('docs/operating.md is not up to date: run `npm run generate`.');
  process.exitCode = 1;
}

/** Puts a table between the comments with its name. */
function place(text: string, name: string, rows: string[][]): string {
  const between = new RegExp(`(?<=<!-- ${name} -->\\n).*?(?=<!-- /${name} -->)`, 's');
  if (!between.test(text)) throw new Error(`docs/operating.md has no place for the ${name}.`);
  return text.replace(between, () => `\n${markdownTable(rows, { alignDelimiters: false })}\n\n`);
}

/** Angle brackets would be HTML. */
function sentence(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('<', '&lt;');
}
