import { comparisons } from '../contract/datasets/comparisons.ts';
import { datasets as datasetTable } from '../contract/datasets/datasets.ts';
import { examples as exampleTable, platformExamples } from '../contract/datasets/examples.ts';
import { experimentRunsV2 } from '../contract/datasets/experiment-runs.ts';
import { bind, type Calls } from './calls.ts';
import { platformAddress } from './connection.ts';
import type { EventStream } from './event-stream.ts';
import type { Transport } from './transport.ts';

/** Datasets, and the examples in them. */
export interface Datasets {
  readonly datasets: Calls<typeof datasetTable>;
  readonly examples: Calls<typeof exampleTable> & Pick<Calls<typeof platformExamples>, 'deleteBatch'>;
  /** Pairwise comparisons of experiments. */
  readonly comparisons: Calls<typeof comparisons>;
  /** Examples with their runs in experiments. */
  readonly experimentRuns: Calls<typeof experimentRunsV2>;
}

/** @param baseUrl the address of the platform */
export function datasets(transport: Transport, baseUrl: string): Datasets {
  const options = {
    transport,
    address: (path: string) => platformAddress(baseUrl, path),
    stream: (first: EventStream) => first,
  };
  const { deleteBatch } = bind(platformExamples, options);
  return {
    datasets: bind(datasetTable, options),
    examples: { ...bind(exampleTable, options), deleteBatch },
    comparisons: bind(comparisons, options),
    experimentRuns: bind(experimentRunsV2, options),
  };
}
