import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import type { Dispatcher } from 'undici';
import type { Client } from '../client/client.ts';
import { uploadFile } from '../client/upload.ts';
import { listSourceFiles } from '../project/source-files.ts';

/**
 * Packs the files that git does not ignore and uploads them for a deployment.
 * @param top the top folder of the source
 * @returns the value for `source_tarball_path`.
 * @throws RequestError; Error when git cannot list the files
 */
export async function uploadSource(
  client: Client,
  dispatcher: Dispatcher,
  deploymentId: string,
  top: string,
  signal: AbortSignal,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-harbor-source-'));
  try {
    const file = join(folder, 'source.tar.gz');
    await create({ file, cwd: top, gzip: true, portable: true }, await listSourceFiles(top));
    const params = { deployment_id: deploymentId };
    const target = await client.deployments.uploadUrl(
      { params, body: { supports_upload_headers: true } },
      { signal },
    );
    await uploadFile(dispatcher, target, file, signal);
    return target.object_path;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
