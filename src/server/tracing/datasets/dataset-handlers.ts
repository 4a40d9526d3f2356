import type { IncomingMessage } from 'node:http';
import { DataType, type datasets } from '../../../contract/datasets/datasets.ts';
import { type Caller, requester } from '../../http/caller.ts';
import { invalid } from '../../http/errors.ts';
import type { Handlers } from '../../http/router.ts';
import type { TracingServices } from '../services.ts';
import type { ExampleChanges } from './example-changes.ts';
import { exportOpenai } from './export-openai.ts';
import { exportCsv, exportJsonl } from './import-export.ts';
import { readFileForm } from './read-form.ts';

/**
 * Datasets, versions, splits, import and export (docs/interface/tracing.md#datasets). Reading at a time or
 * tag sees what was there then. 404 for what is not the workspace's, 422 that names the field or the line of a file.
 */
export function datasetHandlers(
  services: TracingServices,
  changes: ExampleChanges,
): Handlers<typeof datasets> {
  const { read, write, publish } = services;

  async function upload(caller: Caller, request: IncomingMessage) {
    const { workspaceId } = caller;
    const form = await readFileForm(request);
    const [name = form.file.name] = form.values.get('name') ?? [];
    const type = DataType.safeParse(form.values.get('data_type')?.[0] ?? 'kv');
    if (!type.success) {
      throw invalid(['body', 'data_type'], `Must be one of ${DataType.options.join(', ')}.`);
    }
    const dataset = await write('createDataset', {
      workspaceId,
      dataset: { name, description: form.values.get('description')?.[0], data_type: type.data },
    });
    try {
      await changes.addFile(caller, dataset.id, form);
    } catch (error) {
      await write('deleteDataset', { workspaceId, by: requester(caller), datasetId: dataset.id });
      throw error;
    }
    publish(workspaceId, [{ resource: 'dataset', action: 'created', id: dataset.id }]);
    return read('getDataset', { workspaceId, datasetId: dataset.id });
  }

  return {
    create: async ({ body, caller: { workspaceId } }) => {
      const created = await write('createDataset', { workspaceId, dataset: body });
      publish(workspaceId, [{ resource: 'dataset', action: 'created', id: created.id }]);
      return created;
    },
    list: ({ query, caller }) => read('listDatasets', { workspaceId: caller.workspaceId, query }),
    get: ({ params, caller }) =>
      read('getDataset', { workspaceId: caller.workspaceId, datasetId: params.dataset_id }),
    update: async ({ params, body, caller: { workspaceId } }) => {
      const updated = await write('updateDataset', {
        workspaceId,
        datasetId: params.dataset_id,
        changes: body,
      });
      publish(workspaceId, [{ resource: 'dataset', action: 'updated', id: updated.id }]);
      return updated;
    },
    delete: async ({ params, caller }) => {
      const { workspaceId } = caller;
      const { jobId } = await write('deleteDataset', {
        workspaceId,
        by: requester(caller),
        datasetId: params.dataset_id,
      });
      publish(workspaceId, [{ resource: 'dataset', action: 'deleted', id: params.dataset_id }]);
      return { message: 'Dataset deleted', job_id: jobId };
    },
    clone: async ({ body, caller }) => {
      const { workspaceId } = caller;
      const source = await read('allExamples', {
        workspaceId,
        datasetId: body.source_dataset_id,
        asOf: body.as_of ?? undefined,
      });
      const ids = new Set(body.examples ?? []);
      const splits = body.split ? [body.split].flat() : [];
      const chosen = source.filter(
        ({ id, metadata }) =>
          (ids.size === 0 || ids.has(id)) &&
          (splits.length === 0 || splits.some((split) => splitsIn(metadata).includes(split))),
      );
      const copies = chosen.map(({ inputs, outputs, metadata, source_run_id }) => ({
        dataset_id: body.target_dataset_id,
        inputs,
        outputs,
        metadata,
        source_run_id,
      }));
      return copies.length === 0 ? [] : (await changes.add(caller, copies)).examples;
    },
    versions: ({ params, query, caller }) =>
      read('listVersions', { workspaceId: caller.workspaceId, datasetId: params.dataset_id, ...query }),
    version: ({ params, query, caller }) =>
      read('getVersion', {
        workspaceId: caller.workspaceId,
        datasetId: params.dataset_id,
        asOf: query.tag ?? query.as_of,
      }),
    tag: ({ params, body, caller }) =>
      write('tagVersion', {
        workspaceId: caller.workspaceId,
        datasetId: params.dataset_id,
        asOf: body.as_of,
        tag: body.tag,
      }),
    diff: ({ params, query, caller }) =>
      read('diffVersions', {
        workspaceId: caller.workspaceId,
        datasetId: params.dataset_id,
        from: query.from_version,
        to: query.to_version,
      }),
    splits: ({ params, query, caller }) =>
      read('listSplits', {
        workspaceId: caller.workspaceId,
        datasetId: params.dataset_id,
        asOf: query.as_of,
      }),
    updateSplits: ({ params, body, caller }) =>
      write('updateSplits', {
        workspaceId: caller.workspaceId,
        datasetId: params.dataset_id,
        split: body.split_name,
        exampleIds: body.examples,
        remove: body.remove,
      }),
    upload: ({ request, caller }) => upload(caller, request),
    exportCsv: async ({ params, query, caller: { workspaceId } }, response) => {
      const request = { workspaceId, datasetId: params.dataset_id, asOf: query.as_of };
      response.end(exportCsv(await read('allExamples', request)));
    },
    exportOpenai: async ({ params, query, caller: { workspaceId } }, response) => {
      const request = { workspaceId, datasetId: params.dataset_id, asOf: query.as_of };
      response.end(exportOpenai(await read('allExamples', request)));
    },
    exportJsonl: async ({ params, query, caller: { workspaceId } }, response) => {
      const request = { workspaceId, datasetId: params.dataset_id, asOf: query.as_of };
      response.end(exportJsonl(await read('allExamples', request)));
    },
  };
}

function splitsIn(metadata: Record<string, unknown> | null | undefined): unknown[] {
  const splits = metadata?.dataset_split;
  return Array.isArray(splits) ? splits : [splits];
}
