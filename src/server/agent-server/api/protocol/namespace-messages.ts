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
   * Finishes messages.
   * @param updated the names in an update: of nodes that have ended, or `INTERRUPT`, which does not say which node has
   * asked; all messages are finished by default. While it is not known which of several tasks has ended, their messages
   * are not finished.
   */
  finish(updated?: readonly string[]): Fields[] {
    const tasks = [...this.#tasks];
    return tasks.flatMap(([key, { node, projection }]) => {
      if (updated !== undefined) {
        const isNamed = node === undefined || updated.includes(node);
        const alike = isNamed ? tasks.filter(([, other]) => other.node === node) : tasks;
        if (alike.length > 1 || !(isNamed || updated.includes(INTERRUPT))) return [];
      }
      this.#tasks.delete(key);
      return projection.finish();
    });
  }
}
