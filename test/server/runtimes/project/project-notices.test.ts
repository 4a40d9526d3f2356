import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LogBook } from '../../../../src/server/runtimes/output/log-book.ts';
import { readProject } from '../../../../src/server/runtimes/project/project.ts';
import { ProjectNotices } from '../../../../src/server/runtimes/project/project-notices.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { eventually } from '../../../support/wait.ts';

describe('the notices of a project', () => {
  it('are written once for graphs that are loaded twice in a row, later than what is done at once', async () => {
    await using folder = await temporaryFolder();
    const read = async (key: string) => {
      const configPath = path.join(folder.path, `${key}.json`);
      await writeFile(configPath, JSON.stringify({ graphs: { a: './a.js:graph' }, [key]: true }));
      return readProject(configPath, {});
    };
    const [first, second, third, fourth] = [
      await read('first_key'),
      await read('second_key'),
      await read('third_key'),
      await read('fourth_key'),
    ];
    const log = new LogBook();
    const keys: (string | undefined)[] = [];
    log.follow(({ message }) => keys.push(/'(\w+_key)'/.exec(message)?.[1]));
    const notices = new ProjectNotices(log);
    notices.logSoon(first, {});
    notices.logSoon(second, {});
    assert.equal(keys.length, 0);
    await eventually('the notices', () => keys.includes('second_key'));
    notices.logSoon(third, {});
    notices.stop();
    notices.logSoon(fourth, {});
    await eventually('the newest notices', () => keys.includes('fourth_key'));
    assert.deepEqual(keys.filter(Boolean), ['second_key', 'fourth_key']);
  });
});
