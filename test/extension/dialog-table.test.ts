import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { assistant, dataset, dialogs, home, host, project } from '../matrix/dialog-table.ts';

/** `npm test` does not run `test/matrix`, so a changed string would otherwise break it unseen. */
describe('the table of dialogs that the soak leaves at every step', () => {
  const root = path.resolve(import.meta.dirname, '../..');
  const readStrings = (file: string): readonly string[] =>
    Object.values(
      z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(path.join(root, file), 'utf8'))),
    );
  const strings = [...readStrings('l10n/bundle.l10n.json'), ...readStrings('package.nls.json')];
  /** Names that the tests give, and labels and placeholders that are not translated. */
  const names: readonly string[] = [
    project,
    home,
    assistant,
    dataset,
    host,
    'order',
    'Agent Harbor',
    'TypeScript',
    'Python',
  ];
  const isAddress = (text: string): boolean => URL.canParse(text);

  /**
   * A pattern for a string with any values of its placeholders. A string with hardly any other text would
   * match everything.
   */
  const patterns = strings
    .map((string) => string.split(/\{\d\}/))
    .filter((literals) => literals.join('').trim().length > 3)
    .map(
      (literals) =>
        new RegExp(
          `^${literals.map((literal) => literal.replaceAll(/[\^$.*+?()[\]{}|]/g, '\\$&')).join('.+')}$`,
        ),
    );
  /** Patterns are for titles with numbers, such as the step of a dialog. */
  const isShown = (text: string | RegExp): boolean =>
    typeof text === 'string'
      ? patterns.some((pattern) => pattern.test(text))
      : strings.some((string) => text.test(string) || text.test(string.replaceAll(/\{\d\}/g, '2')));

  for (const { name, questions } of dialogs) {
    it(`awaits only strings of the extension in ${name}`, () => {
      const awaited = questions.flatMap(({ at, pick = [], refuses = [] }) => [
        at,
        pick,
        ...refuses.map(([, why]) => why),
      ]);
      assert.deepEqual(
        awaited
          .flat()
          .filter((text) => !names.includes(String(text)) && !isAddress(String(text)) && !isShown(text)),
        [],
      );
    });
  }
});
