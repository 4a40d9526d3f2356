/** Replaces properties of objects, and restores them later. */
export class ReplacedProperties {
  #before: (readonly [object, string, unknown])[] = [];

  /** Whether the property is currently replaced. */
  has(object: object, name: string): boolean {
    return this.#before.some(([owner, known]) => owner === object && known === name);
  }

  replace(object: object, name: string, value: unknown): void {
    this.#before.push([object, name, Reflect.get(object, name)]);
    Reflect.set(object, name, value);
  }

  /** Restores the original properties. */
  restore(): void {
    for (const [owner, name, value] of this.#before.reverse()) Reflect.set(owner, name, value);
    this.#before = [];
  }
}
