import { statfs } from 'node:fs/promises';
import type { info } from '../../../contract/tracing/info.ts';
import type { Handlers } from '../../http/router.ts';
import type { TracingServices } from '../services/services.ts';

/** The maximum request size that clients are told, in bytes before compression. */
export const BATCH_BYTES = 20_971_520;

/**
 * The version of the public platform with the same interface. Clients warn if it is older than the version that they
 * need.
 */
const INTERFACE_VERSION = '0.16.0';

/**
 * `/info` with the flags on which SDKs base decisions (docs/interface/tracing.md#info), the free disk space
 * as `health`, and the workspace as `settings`. Only its ID is real: this folder does not know its name and its age.
 */
export function infoHandlers({ version, dataDir }: TracingServices): Handlers<typeof info> {
  return {
    info: () => ({
      version: INTERFACE_VERSION,
      harbor_version: version,
      batch_ingest_config: {
        use_multipart_endpoint: true,
        size_limit: 100,
        size_limit_bytes: BATCH_BYTES,
        scale_up_nthreads_limit: 16,
        scale_up_qsize_trigger: 1000,
        scale_down_nempty_trigger: 4,
      },
      instance_flags: {
        gzip_body_enabled: true,
        zstd_compression_enabled: true,
        dataset_examples_multipart_enabled: true,
        examples_multipart_enabled: true,
        ch_query_enabled: true,
        sdb_query_enabled: false,
      },
    }),
    health: async () => {
      const { bavail, blocks } = await statfs(dataDir);
      return { clickhouse_disk_free_pct: blocks === 0 ? 100 : Math.round((bavail / blocks) * 100) };
    },
    settings: ({ caller }) => ({
      id: caller.workspaceId,
      display_name: 'Local',
      tenant_handle: null,
      created_at: new Date(0).toISOString(),
    }),
  };
}
