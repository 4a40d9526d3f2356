/**
 * Writes what `server.js --help` says into docs/operating.md, between `<!-- server options -->` and
 * `<!-- /server options -->`: `node scripts/server-reference.ts [--check]`. With --check it only says whether the file is up
 * to date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { markdownTable } from 'markdown-table';
import { OPTION_VARIABLES, variableOf } from '../src/process/server-numbers.ts';
import { HELP } from '../src/server/server-arguments.ts';

const file = new URL('../docs/operating.md', import.meta.url);
const place = /(?<=<!-- server options -->\n).*?(?=<!-- \/server options -->)/s;
/** An option of the help, with the lines of its text. */
const option = /^ {2}(--(\S+)(?: <\S+>)?) +(.*(?:\n {20,}.*)*)/gm;

const rows = [...HELP.matchAll(option)].map(([, flags, name = '', text = '']) => {
  const variable = variableOf(name);
  return [`\`${flags}\``, OPTION_VARIABLES.includes(variable) ? `\`${variable}\`` : '', sentence(text)];
});
const table = markdownTable([['Option', 'Variable', 'What it does'], ...rows], { alignDelimiters: false });
const before = await readFile(file, 'utf8');
if (!place.test(before)) throw new Error('docs/operating.md has no place for the options of the server.');
const after = before.replace(place, () => `\n${table}\n\n`);
if (!process.argv.includes('--check')) await writeFile(file, after);
else if (after !== before) {
  console.error('docs/operating.md is not up to date: run `npm run generate`.');
  process.exitCode = 1;
}

/** Angle brackets would be HTML. */
function sentence(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('<', '&lt;');
}
