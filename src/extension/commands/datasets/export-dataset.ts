import type { DatasetChoices } from '../../datasets/dataset-choices.ts';
import { DatasetElement } from '../../views/datasets.ts';
import { rowCommand } from '../command.ts';

/** Writes the examples of a dataset to a file: those of the version and the split that the view shows. */
export const exportDataset = rowCommand(
  [DatasetElement],
  async ({ datasetChoices }: { readonly datasetChoices: DatasetChoices }, { client, dataset }) => {
    const { exportFile } = await import('../../datasets/export-file.ts');
    await exportFile(client, dataset, datasetChoices.filterOf(dataset.id));
  },
);
