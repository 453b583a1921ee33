/** To stderr, so that whoever keeps the figures of a run keeps only those. */
export const progress = (doing: string): void => void process.stderr.write(`${doing} …\n`)
