/** The figures as terminal output. */
import {
  type AgainstFigures,
  type Figures,
  type Measured,
  statusOf,
  TARGETS,
  type Target,
} from '../figures.ts';
import { type Comparison, medianSample } from '../measures/compare.ts';
import { type LatencyFigures, timesOf } from '../measures/latency.ts';
import type { ListFigures } from '../measures/lists.ts';
import { type Machine, STEADY, UNSHARED } from '../measures/machine.ts';
import { spread } from '../measures/statistics.ts';
import type { MeasureName } from '../options.ts';

type Part = NonNullable<Measured[MeasureName]>;

/** Above this share of a core, the generator limits a fast server. */
const BUSY_GENERATOR = 0.9;

export function comparisonText(comparison: Comparison): string {
  return [...comparison]
    .map(([name, samples]) => {
      const { requestsPerSecond, cpuMicroseconds, generatorBusy } = medianSample(samples);
      const rate = Math.round(requestsPerSecond).toLocaleString('en').padStart(9);
      const { low, high } = spread(samples.map((sample) => sample.cpuMicroseconds));
      const cpu = `${cpuMicroseconds.toFixed(1).padStart(7)} µs CPU (${low.toFixed(1)} to ${high.toFixed(1)})`;
      const warning = generatorBusy > BUSY_GENERATOR ? '  the load generator has no CPU time left' : '';
      return `  ${name.padEnd(32)}${rate}/s  ${cpu}${warning}\n`;
    })
    .join('');
}

export function partText(part: Part): string {
  if (part instanceof Map) return comparisonText(part);
  if ('comparison' in part) {
    return comparisonText(part.comparison) + (part.latency ? latencyText(part.latency) : '');
  }
  if ('thousands' in part) return comparisonText(part.thousands) + growthText(part);
  if ('sqlite' in part && part.sqlite instanceof Map && part.postgres instanceof Map) {
    return comparisonText(part.sqlite) + comparisonText(part.postgres);
  }
  return `  ${JSON.stringify(part)}\n`;
}

function latencyText({ perSecond, results }: LatencyFigures): string {
  return [...results]
    .map(([name, rounds]) => {
      const { p50, p99, max } = timesOf(rounds);
      const rate = Math.round(perSecond).toLocaleString('en').padStart(9);
      const times = `p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}, slowest ${max.toFixed(1)} ms`;
      return `  ${name.padEnd(32)}${rate}/s  ${times}\n`;
    })
    .join('');
}

function growthText({ growth }: ListFigures): string {
  return growth
    .map(({ database, page, times, growth: times10M }) => {
      const list = times
        .map(({ votes, ms }) => `${votes.toLocaleString('en')}: ${ms.toFixed(2)} ms`)
        .join(', ');
      return `  ${`${database}, ${page} page`.padEnd(32)}x ${times10M.toFixed(2)} (${list})\n`;
    })
    .join('');
}

export function figuresText(figures: Figures): string {
  const targets: [string, Target][] = Object.entries(TARGETS);
  return targets
    .filter(([name]) => name in figures)
    .map(([name, target]) => {
      const value = Reflect.get(figures, name);
      return `${name.padEnd(34)} ${String(value).padStart(7)}   limit ${target.limit}, goal ${target.goal}: ${statusOf(target, value)}\n`;
    })
    .join('');
}

export function machineText({ slowdown, stolen }: Machine): string {
  const isBusy = slowdown > STEADY || (stolen ?? 0) > UNSHARED;
  const advice = isBusy ? '; something else uses it, so run the bench again later' : '';
  const share =
    stolen === null ? '' : `, its host gave ${(stolen * 100).toFixed(1)} % of its CPU time to others`;
  return `machine: nine of ten times, the same work took at most ${slowdown.toFixed(2)} times as long as the fastest${share}${advice}\n`;
}

export function againstText(other: { ref: string; commit: string }, figures: AgainstFigures): string {
  const lines = Object.entries(figures).map(
    ([name, { requests, cpu }]) => `  ${name.padEnd(32)} ${requests} of its requests/s, ${cpu} by CPU time\n`,
  );
  return `against ${other.commit} (${other.ref}); above 1, this commit is faster\n${lines.join('')}`;
}
