import { comparisons } from '../../../contract/datasets/comparisons.ts';
import { datasets } from '../../../contract/datasets/datasets.ts';
import { examples, platformExamples } from '../../../contract/datasets/examples.ts';
import { experimentRuns, experimentRunsV2 } from '../../../contract/datasets/experiment-runs.ts';
import { feedback } from '../../../contract/tracing/feedback.ts';
import { feedbackConfigs } from '../../../contract/tracing/feedback-configs.ts';
import { info } from '../../../contract/tracing/info.ts';
import { otlp } from '../../../contract/tracing/otlp.ts';
import { rules } from '../../../contract/tracing/rules.ts';
import { runGroups, runQueries } from '../../../contract/tracing/run-queries.ts';
import { runs } from '../../../contract/tracing/runs.ts';
import { sessions } from '../../../contract/tracing/sessions.ts';
import { sharing, sharingV2 } from '../../../contract/tracing/sharing.ts';
import type { Router } from '../../http/router.ts';
import type { TracingServices } from '../services/services.ts';
import { comparisonHandlers } from './datasets/comparison-handlers.ts';
import { datasetHandlers } from './datasets/dataset-handlers.ts';
import { ExampleChanges } from './datasets/example-changes.ts';
import { exampleHandlers, platformExampleHandlers } from './datasets/example-handlers.ts';
import { experimentRunHandlers } from './datasets/experiment-run-handlers.ts';
import { feedbackConfigHandlers } from './feedback/feedback-config-handlers.ts';
import { feedbackHandlers } from './feedback/feedback-handlers.ts';
import { infoHandlers } from './info-handlers.ts';
import { ingestionHandlers } from './ingestion/ingestion-handlers.ts';
import { otlpHandlers } from './otlp-handlers.ts';
import { queryHandlers } from './query/query-handlers.ts';
import { runGroupHandlers } from './query/run-group-handlers.ts';
import { runQueryHandlers } from './query/run-query-handlers.ts';
import { ruleHandlers } from './rule-handlers.ts';
import { sessionHandlers } from './session-handlers.ts';
import { sharingHandlers } from './sharing/sharing-handlers.ts';

/** Serves everything of tracing, at the root and under `/api/v1`. */
export function mountTracing(router: Router, services: TracingServices): void {
  const v1Roots = ['', '/api/v1'];
  /** Public clients take `/api/v2`; addresses with a base of their own leave `/api` out. */
  const v2Roots = ['', '/api'];
  router.mount(info, infoHandlers(services), v1Roots);
  router.mount(runs, { ...ingestionHandlers(services), ...queryHandlers(services) }, v1Roots);
  router.mount(otlp, otlpHandlers(services), v1Roots);
  router.mount(runQueries, runQueryHandlers(services), v2Roots);
  router.mount(runGroups, runGroupHandlers(services), v1Roots);
  router.mount(sessions, sessionHandlers(services), v1Roots);
  const changes = new ExampleChanges(services);
  router.mount(datasets, datasetHandlers(services, changes), v1Roots);
  router.mount(examples, exampleHandlers(services, changes), v1Roots);
  router.mount(platformExamples, platformExampleHandlers(changes), v2Roots);
  const experimentHandlers = experimentRunHandlers(services);
  router.mount(experimentRuns, experimentHandlers.v1, v1Roots);
  router.mount(experimentRunsV2, experimentHandlers.v2, v2Roots);
  router.mount(comparisons, comparisonHandlers(services), v1Roots);
  router.mount(feedback, feedbackHandlers(services), v1Roots);
  router.mount(feedbackConfigs, feedbackConfigHandlers(services), v1Roots);
  router.mount(rules, ruleHandlers(services), v1Roots);
  const shared = sharingHandlers(services);
  router.mount(sharing, shared.v1, v1Roots);
  router.mount(sharingV2, shared.v2, v2Roots);
}
