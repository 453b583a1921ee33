import { Failure } from '../../shared/domain/failure.ts'
import type { Kind } from '../domain/kind.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'
import type { Document, Json } from '../domain/resource.ts'
import type { DeployableResource } from './find-blockers.ts'

type NewResource = { kind: Kind; workspace: string; id: string; spec: Document }

export async function assignMembers(
  ports: ControlPlanePorts,
  resource: NewResource,
  attempt: number,
): Promise<Document> {
  const members = (resource.kind.assigned ?? []).map(async (member) => {
    const value = await assigners[member]?.(ports, resource, attempt)
    return value === undefined ? [] : [[member, value]]
  })
  return Object.fromEntries((await Promise.all(members)).flat())
}

type Assign = (ports: ControlPlanePorts, resource: NewResource, attempt: number) => Promise<Json | undefined>

const assigners: Record<string, Assign> = {
  infrastructureId: async (_ports, { kind, id }) => `${kind.name}-${id}`,
  publicIp: async ({ addresses }, { spec }, attempt) => {
    const family = spec.ipFamily === 'IPv6' ? 'IPv6' : 'IPv4'
    const address = await addresses.nextFree(family, Math.min(4 ** attempt, 64))
    if (!address) throw new Failure('resource_in_use', `All ${family} addresses of this platform are in use.`)
    return address
  },
  size: async (ports, { workspace, spec }) => spec.size ?? defaultSize(ports, workspace, spec.template),
}

/** A volume has no size if its template was missing at creation. */
export async function lateMembers(
  ports: ControlPlanePorts,
  { workspace, kind, spec }: DeployableResource,
): Promise<Document> {
  if (kind !== 'volume' || spec.size !== undefined) return {}
  const size = await defaultSize(ports, workspace, spec.template)
  return size === undefined ? {} : { size }
}

async function defaultSize({ resources }: ControlPlanePorts, workspace: string, template: Json | undefined) {
  if (typeof template !== 'string') return undefined
  const found = await resources.find({ workspace, kind: 'volumetemplate', parent: '', name: template })
  return found?.spec.defaultSize
}
