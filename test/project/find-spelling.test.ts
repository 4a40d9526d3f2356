import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findSpelling } from '../../src/project/find-spelling.ts';
import { filesOnDisk } from '../../src/project/project-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the portable spelling of a path', () => {
  it('has the names of its files, and slashes', async () => {
    await using folder = await temporaryFolder();
    await mkdir(path.join(folder.path, 'Src'));
    await writeFile(path.join(folder.path, 'Src', 'one-node.js'), '');
    const spell = (place: string) => findSpelling(filesOnDisk, folder.path, place);
    assert.equal(await spell('./src/ONE-NODE.js'), './Src/one-node.js');
    assert.equal(await spell('.\\Src\\one-node.js'), './Src/one-node.js');
    assert.equal(await spell('Src/../Src/one-node.js'), 'Src/../Src/one-node.js');
    assert.equal(await spell('./Src/'), './Src/');
    for (const place of ['./gone.js', '/srv/A.js', 'C:\\A.js']) assert.equal(await spell(place), place);
  });
});
