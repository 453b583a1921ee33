import { beforeEach, expect, test } from 'vitest'
import { exportAudit } from '../../../../src/onboarding/console/flows/export-audit.ts'
import { listAudit } from '../../../../src/onboarding/console/flows/list-audit.ts'
import { anyAudit, type SupportLedger } from '../../../../src/onboarding/domain/ports/support-ledger.ts'
import { breaks } from '../../../support/memory/doubles.ts'
import { bySupport, type MemoryWorld, ofTenant, openMemoryWorld, operator } from '../../../support/memory/world.ts'
import { auditLine, emptySupportLedger } from './support-ledger.ts'

let world: MemoryWorld & { support: SupportLedger }
let askedFor: Array<string | undefined>
beforeEach(async () => {
  world = { ...(await openMemoryWorld()), support: emptySupportLedger() }
  askedFor = []
  world.support.audit = async ({ tenant, cursor }) => {
    askedFor.push(tenant)
    return cursor === undefined
      ? { data: [auditLine(2)], nextCursor: '2' }
      : { data: [auditLine(1)], nextCursor: undefined }
  }
})

const query = { ...anyAudit, cursor: undefined, limit: 10 }

test('a tenant reads what concerns it, whatever it asks for', async () => {
  await listAudit(world)({ caller: ofTenant('acme'), ...query })
  const outside = await listAudit(world)({ caller: ofTenant('acme'), ...query, tenant: 'other' })
  await listAudit(world)({ caller: operator, ...query, tenant: 'other' })

  expect(outside).toEqual({ data: [], nextCursor: undefined })
  expect(askedFor).toEqual(['acme', 'other'])
})

test('the whole record is taken away page by page, and who takes it is on it', async () => {
  const pages = await exportAudit(world)({ actor: bySupport, filter: { ...anyAudit, tenant: 'acme' } })
  const before = askedFor.length
  const ids: number[] = []
  for await (const page of pages) ids.push(...page.map(({ id }) => id))

  expect(before).toBe(0)
  expect(ids).toEqual([2, 1])
  expect(world.actions()).toContain('audit.exported')
})

test('nothing is taken away that could not be put on record', async () => {
  world.audit.note = breaks

  await expect(exportAudit(world)({ actor: bySupport, filter: anyAudit })).rejects.toThrow(TypeError)
  expect(askedFor).toEqual([])
})
