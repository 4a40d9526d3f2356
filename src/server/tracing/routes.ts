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
import { runGroupsHandlers, runQueriesHandlers } from './query/run-queries-handlers.ts';
import { rulesHandlers } from './rules/rule-handlers.ts';
import type { TracingServices } from './services.ts';
import { sessionHandlers } from './sessions/session-handlers.ts';
import { sharingHandlers } from './sharing/sharing-handlers.ts';

/** Serves everything of tracing, at the root and under `/api/v1`. */
export function mountTracing(router: Router, services: TracingServices): void {
  const everywhere = ['', '/api/v1'];
  /** Public clients take `/api/v2`; addresses with a base of their own leave `/api` out. */
  const second = ['', '/api'];
  router.mount(info, infoHandlers(services), everywhere);
  router.mount(runs, { ...ingestionHandlers(services), ...queryHandlers(services) }, everywhere);
  router.mount(otlp, otlpHandlers(services), everywhere);
  router.mount(runQueries, runQueriesHandlers(services), second);
  router.mount(runGroups, runGroupsHandlers(services), everywhere);
  router.mount(sessions, sessionHandlers(services), everywhere);
  const changes = new ExampleChanges(services);
  router.mount(datasets, datasetHandlers(services, changes), everywhere);
  router.mount(examples, exampleHandlers(services, changes), everywhere);
  router.mount(platformExamples, platformExampleHandlers(changes), second);
  const ofExperiments = experimentRunsHandlers(services);
  router.mount(experimentRuns, ofExperiments.first, everywhere);
  router.mount(experimentRunsV2, ofExperiments.second, second);
  router.mount(comparisons, comparisonsHandlers(services), everywhere);
  router.mount(feedback, feedbackHandlers(services), everywhere);
  router.mount(feedbackConfigs, feedbackConfigsHandlers(services), everywhere);
  router.mount(rules, rulesHandlers(services), everywhere);
  const shared = sharingHandlers(services);
  router.mount(sharing, shared.first, everywhere);
  router.mount(sharingV2, shared.second, second);
}
