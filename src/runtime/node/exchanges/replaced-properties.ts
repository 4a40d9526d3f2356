/** Replaces properties of objects, and restores them later. */
export class ReplacedProperties {
  #before: (readonly [object, string, unknown])[] = [];

  /** Whether the property is currently replaced. */
  has(of: object, name: string): boolean {
    return this.#before.some(([owner, known]) => owner === of && known === name);
  }

  replace(of: object, name: string, value: unknown): void {
    this.#before.push([of, name, Reflect.get(of, name)]);
    Reflect.set(of, name, value);
  }

  /** Restores the original properties. */
  restore(): void {
    for (const [of, name, value] of this.#before.reverse()) Reflect.set(of, name, value);
    this.#before = [];
  }
}
