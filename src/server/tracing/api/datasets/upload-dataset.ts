import type { IncomingMessage } from 'node:http';
import { DataType } from '../../../../contract/datasets/datasets.ts';
import { IndexedName } from '../../../../contract/fields.ts';
import { type Caller, requester } from '../../../http/caller.ts';
import { invalid } from '../../../http/errors.ts';
import type { TracingServices } from '../../services/services.ts';
import type { ExampleChanges } from './example-changes.ts';
import { readFileForm } from './file-form.ts';

/** Creates a dataset from an uploaded file. If the file is refused, no dataset is left behind. @throws HttpError 422 */
export async function uploadDataset(
  { read, write, publish }: TracingServices,
  changes: ExampleChanges,
  caller: Caller,
  request: IncomingMessage,
) {
  const { workspaceId } = caller;
  const form = await readFileForm(request);
  const name = IndexedName.safeParse(form.values.get('name')?.[0] ?? form.file.name);
  if (!name.success) throw invalid(['body', 'name'], name.error.issues[0]?.message ?? '', 'too_big');
  const type = DataType.safeParse(form.values.get('data_type')?.[0] ?? 'kv');
  if (!type.success) {
    throw invalid(['body', 'data_type'], `Must be one of ${DataType.options.join(', ')}.`);
  }
  const dataset = await write('createDataset', {
    workspaceId,
    dataset: { name: name.data, description: form.values.get('description')?.[0], data_type: type.data },
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
