import { clearThreadFilter } from './clear-thread-filter.ts';
import { compareStates } from './compare-states.ts';
import { copyThread } from './copy-thread.ts';
import { createThread } from './create-thread.ts';
import { deleteThread } from './delete-thread.ts';
import { editState } from './edit-state.ts';
import { filterThreads } from './filter-threads.ts';
import { openState } from './open-state.ts';
import { openThread } from './open-thread.ts';
import { renameThread } from './rename-thread.ts';
import { searchThreads } from './search-threads.ts';
import { sortThreads } from './sort-threads.ts';

/** Commands about threads and their states. */
export const threadCommands = {
  clearThreadFilter,
  compareStates,
  copyThread,
  createThread,
  deleteThread,
  editState,
  filterThreads,
  openState,
  openThread,
  renameThread,
  searchThreads,
  sortThreads,
};
