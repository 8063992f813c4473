/** Reports progress: on a terminal in one line that is overwritten, elsewhere in one line per step. */
export type Progress = { step(name: string): void; done(): void };

const CLEAR_LINE = '\r\x1b[K';

export function startProgress(title: string, steps: number): Progress {
  const { stderr } = process;
  if (!stderr.isTTY) {
    return { step: (name) => void stderr.write(`${title}: ${name}\n`), done: () => {} };
  }
  let begun = 0;
  return {
    step: (name) => {
      stderr.write(`${CLEAR_LINE}${title} ${begun}/${steps} ${name}`);
      begun += 1;
    },
    done: () => void stderr.write(CLEAR_LINE),
  };
}
