import { DatasetElement } from '../../views/datasets.ts';
import { rowCommand } from '../command.ts';

/** Opens the document of a new example of a dataset; saving it adds the example. */
export const createExample = rowCommand([DatasetElement], async (_, { connection, dataset }) => {
  const { openNewExample } = await import('../../datasets/open-new-example.ts');
  await openNewExample(connection, dataset);
});
