import { beforeEach, describe } from 'vitest'
import { keepsItsPromises } from './contract.ts'
import { type Ledger, memoryLedger } from './ledger.ts'

let ledger: Ledger

describe('the ledger in memory', () => {
  beforeEach(() => {
    ledger = memoryLedger()
  })

  keepsItsPromises(() => ledger, { hasManyWriters: false })
})
