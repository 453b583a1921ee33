import { readdirSync, readFileSync } from 'node:fs'
import { bubblewrapEngine } from '../../../src/platform/shared/adapters/confinement/bubblewrap-engine.ts'
import { enginePromises } from './engine.contract.ts'

enginePromises({
  open: async () => bubblewrapEngine({ unconfined: false }),
  command: (script) => ['/bin/sh', '-c', script],
  processesWith: (mark) =>
    readdirSync('/proc').flatMap((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(mark) ? [Number(name)] : []
      } catch {
        return []
      }
    }),
  unsupported: [],
})
