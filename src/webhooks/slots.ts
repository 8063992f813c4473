/** How many tries are under way at once. */
export type Limits = {
  total: number;
  perEndpoint: number;
  /** Endpoints that are slow or failing share these, and leave the rest to those that answer at once. */
  troubled: number;
};

export const DEFAULT_LIMITS: Limits = { total: 64, perEndpoint: 4, troubled: 32 };

/** Who is under way, so that no endpoint, and not all the slow ones together, can hold up the others. */
export class Slots {
  readonly #limits: Limits;
  readonly #underWay = new Map<string, number>();
  readonly #troubled = new Set<string>();
  #total = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get free(): number {
    return this.#limits.total - this.#total;
  }

  take(endpointId: string, isTroubled: boolean): void {
    if (isTroubled) this.#troubled.add(endpointId);
    this.#total += 1;
    this.#underWay.set(endpointId, (this.#underWay.get(endpointId) ?? 0) + 1);
  }

  giveBack(endpointId: string, isTroubled: boolean): void {
    if (isTroubled) this.#troubled.add(endpointId);
    else this.#troubled.delete(endpointId);
    this.#total -= 1;
    const left = (this.#underWay.get(endpointId) ?? 1) - 1;
    if (left === 0) this.#underWay.delete(endpointId);
    else this.#underWay.set(endpointId, left);
  }

  /** Endpoints that nothing more may be started for now. */
  busy(): string[] {
    const full = [...this.#underWay].filter(([, count]) => count >= this.#limits.perEndpoint);
    const busy = new Set(full.map(([endpointId]) => endpointId));
    return [...(this.#troubledUnderWay() < this.#limits.troubled ? busy : busy.union(this.#troubled))];
  }

  #troubledUnderWay(): number {
    let count = 0;
    for (const [endpointId, underWay] of this.#underWay)
      if (this.#troubled.has(endpointId)) count += underWay;
    return count;
  }
}
