import type { IncomingMessage } from 'node:http';
import { DataType, type datasets } from '../../../contract/datasets/datasets.ts';
import type { examples, platformExamples } from '../../../contract/datasets/examples.ts';
import { type Caller, requester } from '../../http/caller.ts';
import { invalid } from '../../http/errors.ts';
import type { Handlers } from '../../http/router.ts';
import type { TracingServices } from '../services.ts';
import { formatTime } from '../time.ts';
import { exportOpenai } from './export-openai.ts';
import { exportCsv, exportJsonl, importExamples } from './import-export.ts';
import { type FileForm, readExamples, readFileForm, toChanges, toNewExamples } from './read-form.ts';
import type { ChangedExample, NewExample } from './write-examples.ts';

/**
 * Datasets, examples, versions, splits, import and export (docs/interface/tracing.md#datasets). Reading at a time or
 * tag sees what was there then. 404 for what is not the workspace's, 422 that names the field or the line of a file.
 */
export function datasetHandlers(services: TracingServices) {
  const { read, write, publish } = services;

  function note(
    workspaceId: string,
    action: 'created' | 'updated' | 'deleted',
    ids: readonly string[],
  ): void {
    publish(
      workspaceId,
      ids.map((id) => ({ resource: 'example', action, id })),
    );
  }

  async function add({ workspaceId }: Caller, list: readonly NewExample[]) {
    const written = await write('createExamples', { workspaceId, examples: list });
    note(
      workspaceId,
      'created',
      written.examples.map((example) => example.id),
    );
    return written;
  }

  async function change(
    { workspaceId }: Caller,
    changes: readonly ChangedExample[],
    datasetId?: string | undefined,
  ) {
    const written = await write('updateExamples', { workspaceId, changes, datasetId });
    note(
      workspaceId,
      'updated',
      changes.map(({ id }) => id),
    );
    return written;
  }

  async function softDelete({ workspaceId }: Caller, exampleIds: readonly string[]) {
    const { count } = await write('softDeleteExamples', { workspaceId, exampleIds });
    note(workspaceId, 'deleted', exampleIds);
    return { message: `${count} example${count === 1 ? '' : 's'} deleted`, count };
  }

  async function addFile(caller: Caller, datasetId: string, { file, values }: FileForm) {
    const keys = {
      inputs: values.get('input_keys') ?? [],
      outputs: values.get('output_keys') ?? [],
      metadata: values.get('metadata_keys') ?? [],
    };
    const format = /\.jsonl?$/i.test(file.name) ? 'jsonl' : 'csv';
    return add(caller, importExamples(file.text, format, keys, datasetId));
  }

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
      await addFile(caller, dataset.id, form);
    } catch (error) {
      await write('deleteDataset', { workspaceId, by: requester(caller), datasetId: dataset.id });
      throw error;
    }
    publish(workspaceId, [{ resource: 'dataset', action: 'created', id: dataset.id }]);
    return read('getDataset', { workspaceId, datasetId: dataset.id });
  }

  const datasetTable: Handlers<typeof datasets> = {
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
      return copies.length === 0 ? [] : (await add(caller, copies)).examples;
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

  const exampleTable: Handlers<typeof examples> = {
    create: async ({ body, caller }) => {
      const [created] = (await add(caller, [body])).examples;
      if (created === undefined) throw new Error('An example was stored but not returned.');
      return created;
    },
    createMany: async ({ body, caller }) => (await add(caller, body)).examples,
    updateMany: async ({ body, caller }) => {
      const { examples } = await change(caller, body);
      return { message: `${examples.length} examples updated`, count: examples.length };
    },
    list: ({ query, body, caller: { workspaceId } }) =>
      read('listExamples', { workspaceId, query, anyMetadata: body.metadata ?? undefined }),
    count: ({ query: { limit: _, ...query }, caller: { workspaceId } }) =>
      read('countExamples', { workspaceId, query }),
    get: ({ params, query, caller: { workspaceId } }) =>
      read('getExample', { workspaceId, exampleId: params.example_id, asOf: query.as_of }),
    update: async ({ params, body, caller }) => {
      const { examples } = await change(caller, [{ ...body, id: params.example_id }]);
      return { message: 'Example updated', ...examples[0] };
    },
    delete: ({ params, caller }) => softDelete(caller, [params.example_id]),
    deleteMany: ({ query, caller }) => softDelete(caller, query.example_ids),
    validate: async ({ body, caller: { workspaceId } }) => {
      const [checked = {}] = await write('validateExamples', { workspaceId, examples: [body] });
      return checked;
    },
    validateMany: ({ body, caller: { workspaceId } }) =>
      write('validateExamples', { workspaceId, examples: body }),
    uploadFile: async ({ params, request, caller }) =>
      (await addFile(caller, params.dataset_id, await readFileForm(request))).examples,
  };

  const platformTable: Handlers<typeof platformExamples> = {
    hardDelete: async ({ body, caller }) => {
      const { workspaceId } = caller;
      const { example_ids, hard_delete } = body;
      if (!hard_delete) await softDelete(caller, example_ids);
      else {
        await write('hardDeleteExamples', { workspaceId, by: requester(caller), exampleIds: example_ids });
        note(workspaceId, 'deleted', example_ids);
      }
      return { count: example_ids.length, example_ids };
    },
    upload: async ({ params, request, caller }) =>
      uploadAnswer(await add(caller, toNewExamples(await readExamples(request), params.dataset_id))),
    update: async ({ params, request, caller }) =>
      uploadAnswer(await change(caller, toChanges(await readExamples(request)), params.dataset_id)),
  };

  return { datasets: datasetTable, examples: exampleTable, platform: platformTable };
}

function uploadAnswer({ examples, asOf }: { examples: readonly { id: string }[]; asOf: number }) {
  return {
    count: examples.length,
    example_ids: examples.map((example) => example.id),
    as_of: formatTime(asOf),
  };
}

function splitsIn(metadata: Record<string, unknown> | null | undefined): unknown[] {
  const splits = metadata?.dataset_split;
  return Array.isArray(splits) ? splits : [splits];
}
