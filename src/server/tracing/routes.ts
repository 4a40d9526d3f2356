import { comparisons } from '../../contract/datasets/comparisons.ts';
import { datasets } from '../../contract/datasets/datasets.ts';
import { examples, platformExamples } from '../../contract/datasets/examples.ts';
import { experimentRuns, experimentRunsV2 } from '../../contract/datasets/experiment-runs.ts';
import { feedback } from '../../contract/tracing/feedback.ts';
import { feedbackConfigs } from '../../contract/tracing/feedback-configs.ts';
import { info } from '../../contract/tracing/info.ts';
import { otlp } from '../../contract/tracing/otlp.ts';
import { rules } from '../../contract/tracing/rules.ts';
import { runGroups, runQueries } from '../../contract/tracing/run-queries.ts';
import { runs } from '../../contract/tracing/runs.ts';
import { sessions } from '../../contract/tracing/sessions.ts';
import { sharing, sharingV2 } from '../../contract/tracing/sharing.ts';
import type { Router } from '../http/router.ts';
import { comparisonsHandlers } from './datasets/comparisons-handlers.ts';
import { datasetHandlers } from './datasets/dataset-handlers.ts';
import { ExampleChanges } from './datasets/example-changes.ts';
import { exampleHandlers, platformExampleHandlers } from './datasets/example-handlers.ts';
import { experimentRunsHandlers } from './datasets/experiment-runs-handlers.ts';
import { feedbackConfigsHandlers } from './feedback/feedback-configs-handlers.ts';
import { feedbackHandlers } from './feedback/feedback-handlers.ts';
import { infoHandlers } from './info-handlers.ts';
import { ingestionHandlers } from './ingestion/ingestion-handlers.ts';
import { otlpHandlers } from './otlp/otlp-handlers.ts';
import { queryHandlers } from './query/query-handlers.ts';
import { runGroupsHandlers } from './query/run-groups-handlers.ts';
import { runQueriesHandlers } from './query/run-queries-handlers.ts';
import { rulesHandlers } from './rules/rule-handlers.ts';
import type { TracingServices } from './services.ts';
import { sessionHandlers } from './sessions/session-handlers.ts';
import { sharingHandlers } from './sharing/sharing-handlers.ts';

/** Serves everything of tracing, at the root and under `/api/v1`. */
export function mountTracing(router: Router, services: TracingServices): void {
  const v1Roots = ['', '/api/v1'];
  /** Public clients take `/api/v2`; addresses with a base of their own leave `/api` out. */
  const v2Roots = ['', '/api'];
  router.mount(info, infoHandlers(services), v1Roots);
  router.mount(runs, { ...ingestionHandlers(services), ...queryHandlers(services) }, v1Roots);
  router.mount(otlp, otlpHandlers(services), v1Roots);
  router.mount(runQueries, runQueriesHandlers(services), v2Roots);
  router.mount(runGroups, runGroupsHandlers(services), v1Roots);
  router.mount(sessions, sessionHandlers(services), v1Roots);
  const changes = new ExampleChanges(services);
  router.mount(datasets, datasetHandlers(services, changes), v1Roots);
  router.mount(examples, exampleHandlers(services, changes), v1Roots);
  router.mount(platformExamples, platformExampleHandlers(changes), v2Roots);
  const experimentHandlers = experimentRunsHandlers(services);
  router.mount(experimentRuns, experimentHandlers.v1, v1Roots);
  router.mount(experimentRunsV2, experimentHandlers.v2, v2Roots);
  router.mount(comparisons, comparisonsHandlers(services), v1Roots);
  router.mount(feedback, feedbackHandlers(services), v1Roots);
  router.mount(feedbackConfigs, feedbackConfigsHandlers(services), v1Roots);
  router.mount(rules, rulesHandlers(services), v1Roots);
  const shared = sharingHandlers(services);
  router.mount(sharing, shared.v1, v1Roots);
  router.mount(sharingV2, shared.v2, v2Roots);
}
