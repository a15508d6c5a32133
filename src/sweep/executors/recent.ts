/** The values that were last asked for, by key. One that could not be made is made again. */
export class Recent<T extends Promise<unknown>> {
  readonly #most: number;
  readonly #values = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  peek(key: string): T | undefined {
    return this.#values.get(key);
  }

  drop(key: string): void {
    this.#values.delete(key);
  }

  get(key: string, make: () => T): T {
    const known = this.#values.get(key);
    this.#values.delete(key);
    const value = known ?? make();
    this.#values.set(key, value);
    if (known === undefined) value.catch(() => this.#values.delete(key));
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#most && oldest !== undefined) this.#values.delete(oldest);
    return value;
  }
}
