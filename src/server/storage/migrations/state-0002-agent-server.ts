import { type Kysely, type Migration, sql } from 'kysely';

/** Crons, webhooks on their way, vectors of items; and what runs need to be followed by thread and swept. */
export const agentServer: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const { schema } = db;

    await schema
      .alterTable('threads')
      .addColumn('run_count', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema
      .alterTable('runs')
      .addColumn('thread_order', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema.alterTable('runs').addColumn('started_at', 'text').execute();
    await schema.alterTable('runs').addColumn('ended_at', 'text').execute();
    await schema.alterTable('runs').addColumn('events_expire_at', 'text').execute();
    await schema
      .createIndex('runs_by_thread_order')
      .on('runs')
      .columns(['thread_id', 'thread_order'])
      .execute();
    await schema
      .createIndex('runs_by_events_expiry')
      .on('runs')
      .column('events_expire_at')
      .where(sql.ref('events_expire_at'), 'is not', null)
      .execute();

    await schema
      .createTable('crons')
      .addColumn('cron_id', 'text', (column) => column.primaryKey())
      .addColumn('deployment_id', 'text', (column) =>
        column.notNull().references('deployments.id').onDelete('cascade'),
      )
      .addColumn('assistant_id', 'text', (column) => column.notNull())
      .addColumn('thread_id', 'text', (column) => column.references('threads.thread_id').onDelete('cascade'))
      .addColumn('schedule', 'text', (column) => column.notNull())
      .addColumn('timezone', 'text')
      .addColumn('end_time', 'text')
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addColumn('on_run_completed', 'text', (column) => column.notNull())
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text')
      .addColumn('next_run_date', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .execute();
    await schema
      .createIndex('crons_by_deployment')
      .on('crons')
      .columns(['deployment_id', 'created_at', 'cron_id'])
      .execute();
    await schema
      .createIndex('crons_by_next_run')
      .on('crons')
      .columns(['deployment_id', 'next_run_date'])
      .where(sql.ref('next_run_date'), 'is not', null)
      .execute();

    await schema
      .createTable('webhooks')
      .addColumn('webhook_id', 'text', (column) => column.primaryKey())
      .addColumn('deployment_id', 'text', (column) =>
        column.notNull().references('deployments.id').onDelete('cascade'),
      )
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('next_attempt_at', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute();
    await schema
      .createIndex('webhooks_by_next_attempt')
      .on('webhooks')
      .columns(['deployment_id', 'next_attempt_at'])
      .execute();

    await schema
      .createTable('store_vectors')
      .addColumn('deployment_id', 'text', (column) => column.notNull())
      .addColumn('namespace', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('field', 'text', (column) => column.notNull())
      .addColumn('vector', 'blob', (column) => column.notNull())
      .addPrimaryKeyConstraint('store_vectors_pk', ['deployment_id', 'namespace', 'key', 'field'])
      .addForeignKeyConstraint(
        'store_vectors_of',
        ['deployment_id', 'namespace', 'key'],
        'store_items',
        ['deployment_id', 'namespace', 'key'],
        (constraint) => constraint.onDelete('cascade'),
      )
      .execute();
    await schema
      .createIndex('store_items_by_expiry')
      .on('store_items')
      .column('expires_at')
      .where(sql.ref('expires_at'), 'is not', null)
      .execute();
  },
};
