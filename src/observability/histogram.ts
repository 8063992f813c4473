import { Histogram, type Registry } from 'prom-client';

type Observations = { value: string; buckets: number[]; sum: number; count: number };

type HistogramOptions = {
  name: string;
  help: string;
  /** The name of its only label, if it has one. */
  label?: string;
  /** Upper bounds, the smallest first. */
  buckets: readonly number[];
  registry: Registry;
};

type ExportedValue = {
  labels: Record<string, string | number>;
  sharedLabels: Record<string, string>;
  value: number;
  metricName: string;
};

/**
 * A histogram whose observations are plain numbers until it is exported, with the output of `Histogram`. An observation
 * of prom-client validates its labels and joins them into a key: 2 to 3 µs of a vote check
 * (docs/decisions/0038-plain-vote-checks.md).
 */
export class PlainHistogram extends Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #label: string | undefined;
  readonly #bounds: readonly number[];
  readonly #observed = new Map<string, Observations>();

  constructor({ name, help, label, buckets, registry }: HistogramOptions) {
    super({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      buckets: [...buckets],
      registers: [registry],
    });
    this.#name = name;
    this.#help = help;
    this.#label = label;
    this.#bounds = buckets;
    if (label === undefined) this.start('');
  }

  /** Exports a value of the label from now on, also if it is never observed. */
  start(labelValue: string): Observations {
    const started = { value: labelValue, buckets: this.#bounds.map(() => 0), sum: 0, count: 0 };
    this.#observed.set(labelValue, started);
    return started;
  }

  /** `labelValue` is empty for a histogram without a label. */
  add(labelValue: string, observation: number): void {
    const observed = this.#observed.get(labelValue) ?? this.start(labelValue);
    observed.sum += observation;
    observed.count += 1;
    const bounds = this.#bounds;
    for (let bucket = 0; bucket < bounds.length; bucket += 1) {
      if (observation > (bounds[bucket] ?? 0)) continue;
      observed.buckets[bucket] = (observed.buckets[bucket] ?? 0) + 1;
      return;
    }
  }

  /** Registries call it for their text, and `get` for what workers send to their primary. */
  async getForPromString() {
    return {
      name: this.#name,
      help: this.#help,
      type: 'histogram',
      aggregator: 'sum',
      values: [...this.#observed.values()].flatMap((observed) => this.#valuesOf(observed)),
    };
  }

  #valuesOf({ value, buckets, sum, count }: Observations): ExportedValue[] {
    const sharedLabels: Record<string, string> = this.#label === undefined ? {} : { [this.#label]: value };
    const exported = (suffix: string, value: number, labels = {}) => ({
      labels,
      sharedLabels,
      value,
      metricName: `${this.#name}_${suffix}`,
    });
    let upToBound = 0;
    const counts = this.#bounds.map((le, bucket) => {
      upToBound += buckets[bucket] ?? 0;
      return exported('bucket', upToBound, { le });
    });
    return [
      ...counts,
      exported('bucket', count, { le: '+Inf' }),
      exported('sum', sum),
      exported('count', count),
    ];
  }
}
