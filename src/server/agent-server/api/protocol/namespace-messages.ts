import { type Fields, stringAt } from './fields.ts';
import { MessageProjection } from './message-projection.ts';

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
   * @param nodes the nodes that have ended; all by default. If several tasks of a node write messages, it is not known
   * which of them has ended, so their messages are finished later.
   */
  finish(nodes?: readonly string[]): Fields[] {
    const tasks = [...this.#tasks];
    return tasks.flatMap(([key, { node, projection }]) => {
      const isOfOther = nodes !== undefined && node !== undefined && !nodes.includes(node);
      if (isOfOther) return [];
      if (nodes !== undefined && tasks.filter(([, other]) => other.node === node).length > 1) return [];
      this.#tasks.delete(key);
      return projection.finish();
    });
  }
}
