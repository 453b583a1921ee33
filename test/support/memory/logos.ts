import { type ColorScheme, type Logos, logoSnapshot } from '../../../src/onboarding/domain/branding/logo.ts'
import type { Tenants } from '../../../src/onboarding/domain/ports/tenants.ts'
import { assertKept, type Tenant } from '../../../src/onboarding/domain/tenant.ts'
import { note, withChange } from './audit.ts'
import { change, type Store, type TenantRow } from './tables.ts'

export function memoryLogos(store: Store): Pick<Tenants, 'putLogo' | 'deleteLogo' | 'logoPng'> {
  const { tenants, logos: pictures } = store.tables
  const keyOf = (tenant: string, scheme: ColorScheme) => JSON.stringify([tenant, scheme])
  const kept = (id: string) => {
    const row = tenants.get(id)
    if (row) assertKept(row)
    return row
  }
  const setLogos = (id: string, logos: Logos): Tenant => {
    const row = change(tenants, id, { logos, updatedAt: store.now() }) as TenantRow
    const { signingSecret: _, next: __, ...tenant } = row
    return tenant
  }
  return {
    async putLogo(id, scheme, { png, ...logo }, audit) {
      const row = kept(id)
      if (!row) return undefined
      const known = row.logos[scheme]
      pictures.set(keyOf(id, scheme), { tenant: id, digest: logo.digest, png })
      const before = known && logoSnapshot(scheme, known)
      note(store, withChange(audit, { before, after: logoSnapshot(scheme, logo) }))
      return setLogos(id, { ...row.logos, [scheme]: logo })
    },
    async deleteLogo(id, scheme, audit) {
      const row = kept(id)
      const known = row?.logos[scheme]
      if (!row || !known) return undefined
      pictures.delete(keyOf(id, scheme))
      note(store, withChange(audit, { before: logoSnapshot(scheme, known) }))
      const { [scheme]: _, ...others } = row.logos
      return setLogos(id, others)
    },
    logoPng: async (digest) => [...pictures.values()].find((row) => row.digest === digest)?.png,
  }
}
