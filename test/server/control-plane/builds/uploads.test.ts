import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { DeploymentFolder } from '../../../../src/server/control-plane/builds/deployment-folder.ts';
import { idOfObjectPath } from '../../../../src/server/control-plane/builds/object-path.ts';
import { Uploads } from '../../../../src/server/control-plane/builds/uploads.ts';
import { Origin } from '../../../../src/server/http/origin.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('an upload', () => {
  it('is complete even if the answer of the database to its last change is lost', async () => {
    await using folder = await temporaryFolder();
    await using made = await deploymentDatabase();
    const { db } = made;
    // The change is stored, although its statement fails.
    const lose = sql`create trigger lost after update on uploads begin select raise(fail, 'The answer is lost.'); end`;
    await lose.execute(db);
    db.outlasting = (work) =>
      work().catch(async () => {
        await sql`drop trigger lost`.execute(db);
        return work();
      });
    const deployment = new DeploymentFolder(folder.path, DEPLOYMENT);
    const uploads = new Uploads({ db, builder: { folder: () => deployment }, baseUrl: () => '' });
    const { upload_url, object_path } = await uploads.createUrl(DEPLOYMENT);
    const token = upload_url.split('/').at(-1) ?? '';
    const origin = await Origin.listen(0, (request, response) => {
      uploads.receive(token, request).then(
        () => response.end(),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
    const response = await fetch(origin.url, { method: 'PUT', body: 'a tarball' });
    assert.equal(response.status, 200, await response.text());
    await origin.close();
    assert.equal(await uploads.has(DEPLOYMENT, object_path), true);
    assert.equal(await readFile(deployment.upload(idOfObjectPath(object_path) ?? ''), 'utf8'), 'a tarball');
  });
});
