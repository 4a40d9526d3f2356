import { comparisons } from '../../src/contract/datasets/comparisons.ts';
import { datasets } from '../../src/contract/datasets/datasets.ts';
import { examples, platformExamples } from '../../src/contract/datasets/examples.ts';
import { experimentRuns, experimentRunsV2 } from '../../src/contract/datasets/experiment-runs.ts';
import { identity } from '../../src/contract/identity.ts';
import { purging } from '../../src/contract/purging.ts';
import { feedback } from '../../src/contract/tracing/feedback.ts';
import { feedbackConfigs } from '../../src/contract/tracing/feedback-configs.ts';
import { rules } from '../../src/contract/tracing/rules.ts';
import { runGroups, runQueries } from '../../src/contract/tracing/run-queries.ts';
import { runs } from '../../src/contract/tracing/runs.ts';
import { sessions } from '../../src/contract/tracing/sessions.ts';
import { sharing, sharingV2 } from '../../src/contract/tracing/sharing.ts';

/** The tables of endpoints that belong to a workspace of the platform: tracing, datasets, purging and identity. */
export const tracingTables = {
  comparisons,
  datasets,
  examples,
  platformExamples,
  experimentRuns,
  experimentRunsV2,
  feedback,
  feedbackConfigs,
  identity,
  purging,
  rules,
  runGroups,
  runQueries,
  runs,
  sessions,
  sharing,
  sharingV2,
};
