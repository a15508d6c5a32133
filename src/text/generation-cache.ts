/**
 * A bounded map by string: entries live in a young generation until its weight is full, then in an old
 * one until the next is full; a hit in the old one renews the entry. At most twice the limit is held.
 */
export class GenerationCache<V> {
  private young = new Map<string, V>();
  private old = new Map<string, V>();
  private youngWeight = 0;
  private readonly limit: number;
  private readonly weigh: (key: string) => number;

  /** `limit` is the weight of one generation; an entry weighs 1 unless `weigh` says otherwise. */
  constructor(limit: number, weigh: (key: string) => number = () => 1) {
    this.limit = limit;
    this.weigh = weigh;
  }

  get(key: string): V | undefined {
    const value = this.young.get(key);
    if (value !== undefined) return value;
    const aged = this.old.get(key);
    if (aged !== undefined) this.set(key, aged);
    return aged;
  }

  /** The key is kept as given: pass a copy of it where it is a slice of a larger text. */
  set(key: string, value: V): void {
    if (this.youngWeight >= this.limit) {
      this.old = this.young;
      this.young = new Map();
      this.youngWeight = 0;
    }
    this.young.set(key, value);
    this.youngWeight += this.weigh(key);
  }
}
