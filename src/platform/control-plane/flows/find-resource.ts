import { z } from 'zod'
import type { Page } from '../../../contract/page.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { cutPage, openCursor } from '../../shared/flows/cursor-pages.ts'
import type { Kind } from '../domain/kind.ts'
import { boundTo, type ListedResource, type Listing, type Position, positionOf } from '../domain/listing.ts'
import { unmask } from '../domain/masking.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'
import type { Resource, ResourceKey } from '../domain/resource.ts'
import { openSecrets } from '../domain/secrets.ts'
import { assertParentsExist } from './resource-assertions.ts'

export async function findResource(ports: ControlPlanePorts, kind: Kind, key: ResourceKey): Promise<Resource> {
  const found = await ports.resources.find(key)
  if (!found) throw unknownResource(kind)
  const [described] = await withAttachments(ports, kind, key.workspace, [found])
  return described ?? found
}

export async function findWithSecrets(ports: ControlPlanePorts, kind: Kind, key: ResourceKey): Promise<Resource> {
  const found = await findResource(ports, kind, key)
  return { ...found, spec: unmask(found.spec, openSecrets(ports.vault, found)) }
}

export const unknownResource = (kind: Kind) => new Failure('resource_unknown', `No ${kind.name} has this name.`)

/** The attachment of a volume is stored with the sandbox. */
async function withAttachments<R extends Resource>(
  { resources }: ControlPlanePorts,
  kind: Kind,
  workspace: string,
  found: R[],
): Promise<R[]> {
  if (!kind.attachable || found.length === 0) return found
  const names = found.map(({ name }) => name)
  const attachedTo = await resources.attachments(workspace, names)
  return found.map((resource) => ({ ...resource, state: { attachedTo: attachedTo.get(resource.name) ?? '' } }))
}

type PageRequest = { limit: number; cursor: string | undefined; fromEnd: boolean }

export async function listResources(
  ports: ControlPlanePorts,
  kind: Kind,
  { limit, cursor, fromEnd, ...listing }: Listing & PageRequest,
): Promise<Page<Resource>> {
  const after = openCursor(ports, cursor, boundTo(listing), StoredPosition)
  const [rows, total] = await Promise.all([
    ports.resources.page({ ...listing, after, fromEnd, limit: fromEnd ? limit : limit + 1 }),
    ports.resources.count(listing.workspace, listing.kind),
  ])
  const found = await withAttachments(ports, kind, listing.workspace, rows)
  if (fromEnd) return { data: found.reverse(), meta: { hasMore: false, nextCursor: '', total } }
  const { data, meta } = cutPage(ports, found, limit, boundTo(listing), (last) => positionOf(last, listing.sort))
  return { data, meta: { ...meta, total } }
}

const stepSize = 500

export async function* allResources(
  ports: ControlPlanePorts,
  kind: Kind,
  listing: Listing,
): AsyncGenerator<Resource[]> {
  let after: Position | undefined
  if (listing.parent) await assertParentsExist(ports, kind, listing.workspace, listing.parent)
  for (;;) {
    const found: ListedResource[] = await ports.resources.page({ ...listing, after, fromEnd: false, limit: stepSize })
    if (found.length > 0) yield await withAttachments(ports, kind, listing.workspace, found)
    const last = found.at(-1)
    if (found.length < stepSize || !last) return
    after = positionOf(last, listing.sort)
  }
}

const StoredPosition = z.union([
  z.strictObject({ name: z.string() }),
  z.strictObject({ createdAt: z.iso.datetime(), seq: z.int() }),
])
