import type { DeploymentRuntime } from '../runtimes/deployment-runtime.ts';
import type { AgentServerOptions, StorageOptions } from './agent-server-options.ts';
import { AssistantStore } from './assistants/assistant-store.ts';
import { CheckpointStore } from './checkpoints/checkpoint-store.ts';
import { CronStore } from './crons/cron-store.ts';
import { ExchangeStore } from './recordings/exchange-store.ts';
import { ReplayStore } from './recordings/replay-store.ts';
import { RunStore } from './runs/run-store.ts';
import { storeSettings, threadTtl } from './settings.ts';
import { embedTexts } from './store/embed-texts.ts';
import { ItemStore } from './store/item-store.ts';
import { ThreadStore } from './threads/thread-store.ts';

/** The stores of a deployment in `state.db`. */
export interface Stores extends StorageOptions {
  readonly assistants: AssistantStore;
  readonly checkpoints: CheckpointStore;
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
