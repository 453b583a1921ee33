import { bubblewrapEngine } from '../../../src/platform/shared/adapters/confinement/bubblewrap-engine.ts'
import { processesWith } from '../../support/oracles/processes-with.ts'
import { enginePromises } from './engine.contract.ts'

enginePromises({
  open: async () => bubblewrapEngine({ unconfined: false }),
  command: (script) => ['/bin/sh', '-c', script],
  processesWith,
  unsupported: [],
})
