import { addToDataset } from './add-to-dataset.ts';
import { createExample } from './create-example.ts';
import { deleteDataset } from './delete-dataset.ts';
import { deleteExamples } from './delete-examples.ts';
import { exportDataset } from './export-dataset.ts';
import { importExamples } from './import-examples.ts';
import { openDatasetFile } from './open-dataset-file.ts';
import { openExample } from './open-example.ts';
import { setSplits } from './set-splits.ts';
import { showExperiments } from './show-experiments.ts';
import { showSplit } from './show-split.ts';
import { showVersion } from './show-version.ts';
import { tagVersion } from './tag-version.ts';

/** Commands about datasets and their examples. */
export const datasetCommands = {
  addToDataset,
  createExample,
  deleteDataset,
  deleteExamples,
  exportDataset,
  importExamples,
  openDatasetFile,
  openExample,
  setSplits,
  showExperiments,
  showSplit,
  showVersion,
  tagVersion,
};
