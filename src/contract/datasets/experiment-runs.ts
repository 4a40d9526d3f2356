import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { defaulted, Uuid } from '../fields.ts';
import { Example } from './examples.ts';

/** An example with its runs in the experiments. */
const ExampleWithRuns = Example.partial().extend({ runs: z.array(z.looseObject({ id: z.string() })) });

/** Filters by experiment: an example is shown if one of its runs passes them. */
const Filters = z.record(Uuid, z.array(z.string())).nullish();
const Experiments = z.array(Uuid).min(1, 'Must contain at least one experiment.').max(50);
const comparative_experiment_id = z
  .null('Not supported: feedback cannot be filtered by comparison.')
  .optional();
const params = z.object({ dataset_id: Uuid });

const ExperimentRunsQuery = z.object({
  experiment_ids: Experiments,
  example_ids: z.array(Uuid).max(1000).nullish(),
  filters: Filters,
  selects: z.array(z.string()).nullish(),
  /** Sorts examples by a feedback key, if only one experiment is given. */
  sort: z
    .object({
      by: z.string().min(1),
      order: defaulted(z.enum(['ASC', 'DESC']), 'DESC'),
    })
    .nullish(),
  comparative_experiment_id,
  cursor: z.string().nullish(),
  page_size: z.int().min(1).max(100).nullish(),
});

/** The examples of a dataset, each with its runs in experiments. */
export const experimentRuns = {
  list: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/datasets/{dataset_id}/runs',
    summary: 'List the examples of a dataset with the runs of experiments',
    credentials: 'api-key',
    right: 'read',
    params,
    body: z.object({
      session_ids: Experiments,
      offset: z.int().min(0).default(0),
      limit: z.int().min(1).max(100).default(20),
      /** Returns only the beginnings of inputs and outputs. */
      preview: z.boolean().default(false),
      filters: Filters,
      comparative_experiment_id,
    }),
    responses: { 200: z.array(ExampleWithRuns) },
  }),
};

/** The examples with their runs, in the v2 form of run queries. */
export const experimentRunsV2 = {
  query: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v2/datasets/{dataset_id}/experiment-runs',
    summary:
      'List the examples of a dataset with the runs of experiments; only their IDs unless more is selected',
    credentials: 'api-key',
    right: 'read',
    params,
    body: ExperimentRunsQuery,
    responses: { 200: z.looseObject({ items: z.array(ExampleWithRuns), next_cursor: z.string().nullish() }) },
  }),
};
