import assert from 'node:assert/strict';
import path from 'node:path';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { uploadFile } from '../../src/client/upload.ts';
import { httpPeer, json } from '../support/http-peer.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('an upload', () => {
  it('of a missing file fails with the error of the file system, without a request', async () => {
    await using peer = await httpPeer((_, response) => json(response, 200, {}));
    await using folder = await temporaryFolder();
    const dispatcher = createDispatcher({});
    await assert.rejects(
      uploadFile(dispatcher, { upload_url: peer.url }, path.join(folder.path, 'source.tar.gz')),
      { name: 'Error', code: 'ENOENT' },
    );
    assert.deepEqual(peer.seen, []);
    await dispatcher.close();
  });
});
