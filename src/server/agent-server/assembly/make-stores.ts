import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { AgentServerOptions, StorageOptions } from '../agent-server-options.ts';
import { AssistantStore } from '../data/assistant-store.ts';
import { CheckpointStore } from '../data/checkpoints/checkpoint-store.ts';
import { CostStore } from '../data/cost-store.ts';
import { CronStore } from '../data/cron-store.ts';
import { ExchangeStore } from '../data/exchange-store.ts';
import { ItemStore } from '../data/items/item-store.ts';
import { ReplayStore } from '../data/replay-store.ts';
import { RunStore } from '../data/run-store.ts';
import { ThreadStore } from '../data/thread-store.ts';
import { embedTexts } from '../runtime/embed-texts.ts';
import { storeSettings, threadTtl } from './settings.ts';

/** The stores of a deployment in `state.db`. */
export interface Stores extends StorageOptions {
  readonly assistants: AssistantStore;
  readonly checkpoints: CheckpointStore;
  readonly costs: CostStore;
  readonly crons: CronStore;
  readonly exchanges: ExchangeStore;
  readonly items: ItemStore;
  readonly replays: ReplayStore;
  readonly runs: RunStore;
  readonly threads: ThreadStore;
}

export function makeStores(
  { storage, deployment }: AgentServerOptions,
  runtime: Pick<DeploymentRuntime, 'project' | 'ready'>,
): Stores {
  const { db } = storage;
  const config = () => runtime.project?.config;
  return {
    ...storage,
    assistants: new AssistantStore(db, deployment.id),
    checkpoints: new CheckpointStore(db),
    costs: new CostStore(db, deployment.id),
    crons: new CronStore(db, deployment.id),
    exchanges: new ExchangeStore(db),
    items: new ItemStore(db, deployment.id, () =>
      storeSettings(config(), (texts) => embedTexts(runtime, texts)),
    ),
    replays: new ReplayStore(db),
    runs: new RunStore(db, deployment.id),
    threads: new ThreadStore(db, deployment.id, () => threadTtl(config())),
  };
}
