/** The fields of a thread's state that clients read, sorted. */
export const STATE_FIELDS = [
  'checkpoint',
  'checkpoint_id',
  'created_at',
  'interrupts',
  'metadata',
  'next',
  'parent_checkpoint',
  'parent_checkpoint_id',
  'tasks',
  'values',
];
