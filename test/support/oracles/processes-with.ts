import { readdirSync, readFileSync } from 'node:fs'

/** IDs of all processes of this machine whose command line contains `mark`. */
export const processesWith = (mark: string): number[] =>
  readdirSync('/proc').flatMap((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(mark) ? [Number(name)] : []
    } catch {
      return []
    }
  })
