import { type Fields, stringAt } from './fields.ts';
import { MessageProjection } from './message-projection.ts';

/** The name of interrupts in updates and values. */
export const INTERRUPT = '__interrupt__';

/** The messages that a task writes, one after the other. */
interface TaskMessages {
  readonly node: string | undefined;
  readonly projection: MessageProjection;
}

/** Converts the message chunks of a namespace, in which several tasks may write messages at the same time. */
export class NamespaceMessages {
  /** The messages of the tasks that have not ended. */
  readonly #tasks = new Map<string, TaskMessages>();
  /** The IDs of messages that any task has begun; chunks of them from other tasks are repetitions. */
  readonly #begun = new Set<string>();

  /** Adds a chunk of a message, or a whole message. @returns the events for it. */
  add(message: Fields, metadata: Fields): Fields[] {
    const node = stringAt(metadata, 'langgraph_node');
    const key = stringAt(metadata, 'langgraph_checkpoint_ns') ?? node ?? '';
    let task = this.#tasks.get(key);
    if (task === undefined) {
      task = { node, projection: new MessageProjection(this.#begun) };
      this.#tasks.set(key, task);
    }
    return task.projection.add(message, metadata);
  }

  /**
   * Finishes the messages of tasks that have ended. If several running tasks could be meant, it finishes none of them.
   * @param updated the keys of an update: names of nodes that have ended, or `INTERRUPT`, which may be any node's;
   * undefined finishes all messages.
   * @returns the events for them.
   */
  finish(updated?: readonly string[]): Fields[] {
    const tasks = [...this.#tasks];
    return tasks.flatMap(([key, { node, projection }]) => {
      if (updated !== undefined) {
        const isNamed = node === undefined || updated.includes(node);
        const candidates = isNamed ? tasks.filter(([, other]) => other.node === node) : tasks;
        if (candidates.length > 1 || !(isNamed || updated.includes(INTERRUPT))) return [];
      }
      this.#tasks.delete(key);
      return projection.finish();
    });
  }
}
