import { type Kysely, type Migration, sql } from 'kysely';

/** The tables of identity, deployments and agent servers. */
export const foundation: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const { schema } = db;

    await schema
      .createTable('organizations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute();
    await schema
      .createTable('workspaces')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute();
    await schema
      .createTable('api_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull().unique())
      .addColumn('prefix', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('revoked_at', 'text')
      .execute();
    await schema
      .createTable('api_key_workspaces')
      .addColumn('api_key_id', 'text', (column) =>
        column.notNull().references('api_keys.id').onDelete('cascade'),
      )
      .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspaces.id'))
      .addPrimaryKeyConstraint('api_key_workspaces_pk', ['api_key_id', 'workspace_id'])
      .execute();
    await schema
      .createTable('settings')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute();

    await schema
      .createTable('deployments')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspaces.id'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('source_config', 'text', (column) => column.notNull())
      .addColumn('source_revision_config', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('latest_revision_id', 'text')
      .addColumn('active_revision_id', 'text')
      .addColumn('port', 'integer')
      .addColumn('config_path', 'text', (column) => column.unique())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .execute();
    await schema
      .createIndex('deployments_by_workspace')
      .on('deployments')
      .columns(['workspace_id', 'created_at'])
      .execute();

    await schema
      .createTable('assistants')
      .addColumn('assistant_id', 'text', (column) => column.notNull())
      .addColumn('deployment_id', 'text', (column) =>
        column.notNull().references('deployments.id').onDelete('cascade'),
      )
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('graph_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('config', 'text', (column) => column.notNull())
      .addColumn('context', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      // The default assistant of a graph has the same id in every deployment.
      .addPrimaryKeyConstraint('assistants_pk', ['deployment_id', 'assistant_id'])
      .execute();
    for (const column of ['created_at', 'updated_at', 'name', 'graph_id']) {
      await schema
        .createIndex(`assistants_by_${column}`)
        .on('assistants')
        .columns(['deployment_id', column, 'assistant_id'])
        .execute();
    }
    await schema
      .createTable('assistant_versions')
      .addColumn('assistant_id', 'text', (column) => column.notNull())
      .addColumn('deployment_id', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('graph_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('config', 'text', (column) => column.notNull())
      .addColumn('context', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('assistant_versions_pk', ['deployment_id', 'assistant_id', 'version'])
      .addForeignKeyConstraint(
        'assistant_versions_of',
        ['deployment_id', 'assistant_id'],
        'assistants',
        ['deployment_id', 'assistant_id'],
        (constraint) => constraint.onDelete('cascade'),
      )
      .execute();

    await schema
      .createTable('threads')
      .addColumn('thread_id', 'text', (column) => column.primaryKey())
      .addColumn('deployment_id', 'text', (column) =>
        column.notNull().references('deployments.id').onDelete('cascade'),
      )
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('config', 'text', (column) => column.notNull())
      .addColumn('values', 'text')
      .addColumn('interrupts', 'text', (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .addColumn('state_updated_at', 'text')
      .addColumn('ttl_strategy', 'text')
      .addColumn('ttl_minutes', 'real')
      .addColumn('expires_at', 'text')
      .execute();
    for (const column of ['created_at', 'updated_at', 'state_updated_at']) {
      await schema
        .createIndex(`threads_by_${column}`)
        .on('threads')
        .columns(['deployment_id', column, 'thread_id'])
        .execute();
    }
    await schema
      .createIndex('threads_by_status')
      .on('threads')
      .columns(['deployment_id', 'status', 'updated_at', 'thread_id'])
      .execute();
    await schema
      .createIndex('threads_by_expiry')
      .on('threads')
      .column('expires_at')
      .where(sql.ref('expires_at'), 'is not', null)
      .execute();
    await schema
      .createTable('thread_metadata')
      .addColumn('deployment_id', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('thread_id', 'text', (column) =>
        column.notNull().references('threads.thread_id').onDelete('cascade'),
      )
      .addPrimaryKeyConstraint('thread_metadata_pk', ['deployment_id', 'key', 'value', 'thread_id'])
      .modifyEnd(sql`without rowid`)
      .execute();
    await schema.createIndex('thread_metadata_of').on('thread_metadata').column('thread_id').execute();

    await schema
      .createTable('checkpoints')
      .addColumn('thread_id', 'text', (column) =>
        column.notNull().references('threads.thread_id').onDelete('cascade'),
      )
      .addColumn('checkpoint_ns', 'text', (column) => column.notNull())
      .addColumn('checkpoint_id', 'text', (column) => column.notNull())
      .addColumn('parent_checkpoint_id', 'text')
      .addColumn('run_id', 'text')
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('data', 'blob', (column) => column.notNull())
      .addColumn('channel_versions', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('checkpoints_pk', ['thread_id', 'checkpoint_ns', 'checkpoint_id'])
      .execute();
    await schema
      .createIndex('checkpoints_by_run')
      .on('checkpoints')
      .column('run_id')
      .where(sql.ref('run_id'), 'is not', null)
      .execute();
    await schema
      .createTable('checkpoint_blobs')
      .addColumn('thread_id', 'text', (column) =>
        column.notNull().references('threads.thread_id').onDelete('cascade'),
      )
      .addColumn('checkpoint_ns', 'text', (column) => column.notNull())
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('version', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('data', 'blob', (column) => column.notNull())
      .addPrimaryKeyConstraint('checkpoint_blobs_pk', ['thread_id', 'checkpoint_ns', 'channel', 'version'])
      .execute();
    await schema
      .createTable('checkpoint_writes')
      .addColumn('thread_id', 'text', (column) =>
        column.notNull().references('threads.thread_id').onDelete('cascade'),
      )
      .addColumn('checkpoint_ns', 'text', (column) => column.notNull())
      .addColumn('checkpoint_id', 'text', (column) => column.notNull())
      .addColumn('task_id', 'text', (column) => column.notNull())
      .addColumn('index', 'integer', (column) => column.notNull())
      .addColumn('task_path', 'text', (column) => column.notNull())
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('data', 'blob', (column) => column.notNull())
      .addPrimaryKeyConstraint('checkpoint_writes_pk', [
        'thread_id',
        'checkpoint_ns',
        'checkpoint_id',
        'task_id',
        'index',
      ])
      .execute();

    await schema
      .createTable('runs')
      .addColumn('run_id', 'text', (column) => column.primaryKey())
      .addColumn('thread_id', 'text', (column) =>
        column.notNull().references('threads.thread_id').onDelete('cascade'),
      )
      .addColumn('deployment_id', 'text', (column) => column.notNull())
      .addColumn('assistant_id', 'text', (column) => column.notNull())
      .addColumn('graph_id', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('kwargs', 'text', (column) => column.notNull())
      .addColumn('multitask_strategy', 'text', (column) => column.notNull())
      .addColumn('attempt', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('stateless', 'integer', (column) => column.notNull())
      .addColumn('lease_owner', 'text')
      .addColumn('lease_expires_at', 'text')
      .addColumn('start_after', 'text')
      .addColumn('error', 'text')
      .addColumn('cancel_reason', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .execute();
    await schema
      .createIndex('runs_by_thread')
      .on('runs')
      .columns(['thread_id', 'created_at', 'run_id'])
      .execute();
    await schema
      .createIndex('runs_unfinished')
      .on('runs')
      .columns(['deployment_id', 'status', 'created_at'])
      .where(sql.ref('status'), 'in', [sql.lit('pending'), sql.lit('running')])
      .execute();
    await schema
      .createTable('run_events')
      .addColumn('run_id', 'text', (column) => column.notNull().references('runs.run_id').onDelete('cascade'))
      .addColumn('first_seq', 'integer', (column) => column.notNull())
      .addColumn('last_seq', 'integer', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('run_events_pk', ['run_id', 'first_seq'])
      .execute();

    await schema
      .createTable('store_items')
      .addColumn('deployment_id', 'text', (column) =>
        column.notNull().references('deployments.id').onDelete('cascade'),
      )
      .addColumn('namespace', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .addColumn('ttl_minutes', 'real')
      .addColumn('expires_at', 'text')
      .addPrimaryKeyConstraint('store_items_pk', ['deployment_id', 'namespace', 'key'])
      .execute();
  },
};
