import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import { keepsItsPromises } from './contract.ts'
import { postgresLedger } from './postgres-ledger.ts'

let ledger: Awaited<ReturnType<typeof postgresLedger>>

describe('the ledger in PostgreSQL', () => {
  beforeAll(async () => {
    ledger = await postgresLedger()
  })
  beforeEach(() => ledger.clear())
  afterAll(() => ledger.close())

  keepsItsPromises(() => ledger, { hasManyWriters: true })
})
