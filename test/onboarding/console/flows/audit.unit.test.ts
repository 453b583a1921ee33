import { beforeEach, expect, test } from 'vitest'
import { exportAudit } from '../../../../src/onboarding/console/flows/export-list.ts'
import { listAudit } from '../../../../src/onboarding/console/flows/list-audit.ts'
import {
  type AuditFilter,
  type AuditLine,
  anyAudit,
  type SupportLedger,
} from '../../../../src/onboarding/domain/ports/support-ledger.ts'
import type { Caller } from '../../../../src/onboarding/domain/tenant.ts'
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

test('a tenant only reads its own entries, whatever filter it sends', async () => {
  await listAudit(world, { caller: ofTenant('acme'), ...query })
  const outside = await listAudit(world, { caller: ofTenant('acme'), ...query, tenant: 'other' })
  await listAudit(world, { caller: operator, ...query, tenant: 'other' })

  expect(outside).toEqual({ data: [], nextCursor: undefined })
  expect(askedFor).toEqual(['acme', 'other'])
})

test('S16: a tenant sees that its resource was requested, but not by whom', async () => {
  const knock = {
    ...auditLine(3, { tenant: 'acme' }),
    action: 'authz.denied',
    actor: { kind: 'api_key', id: 'key_of_globex' },
    facts: { keyTenantId: 'globex' },
    requestId: 'req_of_globex',
  } as AuditLine
  world.support.audit = async ({ except }) => ({
    data: except === 'authz.denied' ? [] : [knock],
    nextCursor: except === 'authz.denied' ? undefined : '3',
  })
  const read = (caller: Caller, more: Partial<AuditFilter> = {}) => listAudit(world, { caller, ...query, ...more })

  const shown = await read(ofTenant('acme'))
  const searched = [{ actor: 'key_of_globex' }, { requestId: 'req_of_globex' }]
  const found = await Promise.all(searched.map((more) => read(ofTenant('acme'), more)))
  const byOperator = await read(operator)

  expect(shown.data).toMatchObject([{ action: 'authz.denied', tenant: 'acme', actor: { kind: 'api_key' }, facts: {} }])
  expect(JSON.stringify(shown)).not.toContain('globex')
  // A5: a cursor would also reveal the hidden entries.
  expect(found).toEqual([
    { data: [], nextCursor: undefined },
    { data: [], nextCursor: undefined },
  ])
  expect(byOperator.data).toEqual([knock])
})

test('the audit log is exported page by page, and the export is audited', async () => {
  const pages = await exportAudit(world, { actor: bySupport, filter: { ...anyAudit, tenant: 'acme' } })
  const before = askedFor.length
  const ids: number[] = []
  for await (const page of pages) ids.push(...page.map(({ id }) => id))

  expect(before).toBe(0)
  expect(ids).toEqual([2, 1])
  expect(world.actions()).toContain('audit.exported')
})

test('an export is rejected if it cannot be audited', async () => {
  world.audit.note = breaks

  await expect(exportAudit(world, { actor: bySupport, filter: anyAudit })).rejects.toThrow(TypeError)
  expect(askedFor).toEqual([])
})
