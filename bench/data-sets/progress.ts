import cliProgress from 'cli-progress';

/** Reports progress; without a terminal, one line per step. */
export type Progress = { step(name: string): void; done(): void };

export function startProgress(title: string, steps: number): Progress {
  const { stderr } = process;
  if (!stderr.isTTY) {
    return { step: (name) => void stderr.write(`${title}: ${name}\n`), done: () => {} };
  }
  const bar = new cliProgress.SingleBar({
    stream: stderr,
    format: `${title} [{bar}] {value}/{total} {name}`,
    hideCursor: false,
    clearOnComplete: true,
  });
  bar.start(steps, 0, { name: '' });
  let begun = 0;
  return {
    step: (name) => {
      bar.update(begun, { name });
      begun += 1;
    },
    done: () => bar.stop(),
  };
}
