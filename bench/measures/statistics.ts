export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

/** The smallest and the largest value. */
export function spread(values: number[]): { low: number; high: number } {
  return { low: Math.min(...values), high: Math.max(...values) };
}
