import { createHash } from 'node:crypto'
import { aboutTenant } from '../../domain/audit/audit-entry.ts'
import { type ColorScheme, logoFileError, logoSizeError, logoUnreadable } from '../../domain/branding/logo.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { assertKept, type Tenant } from '../../domain/tenant.ts'
import { assertDeploymentKey, type OnTenant, readTenant } from './manage-tenants.ts'

type PutLogo = OnTenant & { scheme: ColorScheme; file: Buffer }

export async function putLogo(
  { tenants, logoPictures }: Ports,
  { caller, actor, id, scheme, file, reason }: PutLogo,
): Promise<Tenant> {
  assertDeploymentKey(caller)
  assertKept(await readTenant({ tenants }, { caller, id }))
  assertUsable(logoFileError(file))
  const size = await logoPictures.measure(file)
  assertUsable(size ? logoSizeError(size) : logoUnreadable)
  const drawn = await logoPictures.redraw(file)
  if (!drawn) throw refusal(logoUnreadable)
  const picture = { ...drawn, digest: createHash('sha256').update(drawn.png).digest('hex') }
  const audit = { action: 'tenant.logo_put' as const, actor, ...aboutTenant(id), reason }
  const tenant = await tenants.putLogo(id, scheme, picture, audit)
  if (!tenant) throw missing('tenant')
  return tenant
}

type DeleteLogo = OnTenant & { scheme: ColorScheme }

export async function deleteLogo({ tenants }: Ports, { caller, actor, id, scheme, reason }: DeleteLogo): Promise<void> {
  assertDeploymentKey(caller)
  await readTenant({ tenants }, { caller, id })
  const audit = { action: 'tenant.logo_deleted' as const, actor, ...aboutTenant(id), reason }
  if (!(await tenants.deleteLogo(id, scheme, audit))) throw missing('logo')
}

export async function readLogo({ tenants }: Ports, digest: string): Promise<Buffer> {
  const png = await tenants.logoPng(digest)
  if (!png) throw missing('logo')
  return png
}

function assertUsable(error: string | undefined): void {
  if (error) throw refusal(error)
}

const refusal = (detail: string) =>
  new Failure('input_invalid', `The image ${detail}.`, { errors: [{ pointer: '/image', detail }] })
