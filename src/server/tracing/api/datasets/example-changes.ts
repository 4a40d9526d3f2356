import { type Caller, requester } from '../../../http/caller.ts';
import type { ChangedExample, NewExample } from '../../datasets/write-examples.ts';
import type { TracingServices } from '../../services/services.ts';
import type { FileForm } from './file-form.ts';
import { importExamples } from './import-examples.ts';

/** Writes examples, and publishes the changes to the workspace. */
export class ExampleChanges {
  readonly #services: TracingServices;

  constructor(services: TracingServices) {
    this.#services = services;
  }

  async add({ workspaceId }: Caller, list: readonly NewExample[]) {
    const written = await this.#services.write('createExamples', { workspaceId, examples: list });
    this.#publish(
      workspaceId,
      'created',
      written.examples.map((example) => example.id),
    );
    return written;
  }

  /** Adds the examples in a file to a dataset: JSON lines if its name says so, otherwise CSV. @throws HttpError 422 naming the line. */
  addFile(caller: Caller, datasetId: string, { file, values }: FileForm) {
    const keys = {
      inputs: values.get('input_keys') ?? [],
      outputs: values.get('output_keys') ?? [],
      metadata: values.get('metadata_keys') ?? [],
    };
    const format = /\.jsonl?$/i.test(file.name) ? 'jsonl' : 'csv';
    return this.add(caller, importExamples(file.text, format, keys, datasetId));
  }

  async change({ workspaceId }: Caller, changes: readonly ChangedExample[], datasetId?: string | undefined) {
    const written = await this.#services.write('updateExamples', { workspaceId, changes, datasetId });
    this.#publish(
      workspaceId,
      'updated',
      changes.map(({ id }) => id),
    );
    return written;
  }

  /** Deletes examples from the current version; earlier versions keep them. */
  async softDelete({ workspaceId }: Caller, exampleIds: readonly string[]) {
    const { count } = await this.#services.write('softDeleteExamples', { workspaceId, exampleIds });
    this.#publish(workspaceId, 'deleted', exampleIds);
    return { message: `${count} example${count === 1 ? '' : 's'} deleted`, count };
  }

  /** Deletes examples from all versions. */
  async hardDelete(caller: Caller, exampleIds: readonly string[]): Promise<void> {
    const { workspaceId } = caller;
    await this.#services.write('hardDeleteExamples', { workspaceId, by: requester(caller), exampleIds });
    this.#publish(workspaceId, 'deleted', exampleIds);
  }

  #publish(workspaceId: string, action: 'created' | 'updated' | 'deleted', ids: readonly string[]): void {
    this.#services.publish(
      workspaceId,
      ids.map((id) => ({ resource: 'example', action, id })),
    );
  }
}
