/** To stderr, so that stdout has only the results. */
export const progress = (doing: string): void => void process.stderr.write(`${doing} …\n`)
