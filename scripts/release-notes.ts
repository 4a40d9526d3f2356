/**
 * Prints the section of the changelog about a version: `node scripts/release-notes.ts 0.1.0`. Exits with 1 if
 * there is none.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const version = process.argv[2];
const changelog = await readFile(path.resolve(import.meta.dirname, '..', 'CHANGELOG.md'), 'utf8');
const sections = changelog.split(/^## /m).slice(1);
const section = sections.find((text) => text.split(/\s/, 1)[0]?.replace(/[[\]]/g, '') === version);
if (version === undefined || section === undefined) {
  console.error(`CHANGELOG.md has no section for ${version ?? 'a version: name one'}.`);
  process.exitCode = 1;
} else console.log(section.slice(section.indexOf('\n')).trim());
