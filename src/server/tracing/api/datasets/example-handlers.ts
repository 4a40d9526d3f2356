import type { examples, platformExamples } from '../../../../contract/datasets/examples.ts';
import type { Handlers } from '../../../http/router.ts';
import { formatTime } from '../../database/time.ts';
import type { TracingServices } from '../../services/services.ts';
import type { ExampleChanges } from './example-changes.ts';
import { readFileForm } from './file-form.ts';
import { readExamples, toChanges, toNewExamples } from './uploaded-examples.ts';

/** Examples, one or many at a time (docs/interface/tracing.md#datasets); 422 names the field or the line of a file. */
export function exampleHandlers(
  { read, write }: TracingServices,
  changes: ExampleChanges,
): Handlers<typeof examples> {
  return {
    create: async ({ body, caller }) => {
      const [created] = (await changes.add(caller, [body])).examples;
      if (created === undefined) throw new Error('An example was stored but not returned.');
      return created;
    },
    createMany: async ({ body, caller }) => (await changes.add(caller, body)).examples,
    updateMany: async ({ body, caller }) => {
      const { examples } = await changes.change(caller, body);
      return { message: `${examples.length} examples updated`, count: examples.length };
    },
    list: ({ query, body, caller: { workspaceId } }) =>
      read('listExamples', { workspaceId, query, anyMetadata: body.metadata ?? undefined }),
    count: ({ query: { limit: _, ...query }, caller: { workspaceId } }) =>
      read('countExamples', { workspaceId, query }),
    get: ({ params, query, caller: { workspaceId } }) =>
      read('getExample', { workspaceId, exampleId: params.example_id, asOf: query.as_of }),
    update: async ({ params, body, caller }) => {
      const { examples } = await changes.change(caller, [{ ...body, id: params.example_id }]);
      return { message: 'Example updated', ...examples[0] };
    },
    delete: ({ params, caller }) => changes.softDelete(caller, [params.example_id]),
    deleteMany: ({ query, caller }) => changes.softDelete(caller, query.example_ids),
    validate: async ({ body, caller: { workspaceId } }) => {
      const [checked] = await write('validateExamples', { workspaceId, examples: [body] });
      if (checked === undefined) throw new Error('An example was validated but not returned.');
      return checked;
    },
    validateMany: ({ body, caller: { workspaceId } }) =>
      write('validateExamples', { workspaceId, examples: body }),
    uploadFile: async ({ params, request, caller }) =>
      (await changes.addFile(caller, params.dataset_id, await readFileForm(request))).examples,
  };
}

/** Handlers for examples at the paths that newer SDKs use. */
export function platformExampleHandlers(changes: ExampleChanges): Handlers<typeof platformExamples> {
  return {
    deleteBatch: async ({ body, caller }) => {
      const example_ids = [...new Set(body.example_ids)];
      if (body.hard_delete) await changes.hardDelete(caller, example_ids);
      else await changes.softDelete(caller, example_ids);
      return { count: example_ids.length, example_ids };
    },
    upload: async ({ params, request, caller }) =>
      uploadAnswer(await changes.add(caller, toNewExamples(await readExamples(request), params.dataset_id))),
    update: async ({ params, request, caller }) =>
      uploadAnswer(await changes.change(caller, toChanges(await readExamples(request)), params.dataset_id)),
  };
}

function uploadAnswer({ examples, asOf }: { examples: readonly { id: string }[]; asOf: number }) {
  return {
    count: examples.length,
    example_ids: examples.map((example) => example.id),
    as_of: formatTime(asOf),
  };
}
