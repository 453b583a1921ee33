import { Failure } from '../../shared/domain/failure.ts'
import { chosenLabel } from '../../shared/domain/preview-address.ts'
import { covers } from '../domain/custom-domain.ts'
import type { Kind } from '../domain/kind.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'
import type { Document, ResourceKey } from '../domain/resource.ts'
import { currentRevision, hasRevisions, revisionConfig } from '../domain/revisions.ts'

export async function assertParentsExist(
  { resources }: ControlPlanePorts,
  { parents = [] }: Kind,
  workspace: string,
  path: string,
): Promise<void> {
  const names = path.split('/')
  for (const [at, { kind }] of parents.entries()) {
    const key = { workspace, kind, parent: names.slice(0, at).join('/'), name: names[at] ?? '' }
    if (!(await resources.find(key))) throw new Failure('resource_unknown', `No ${kind} has this name.`)
  }
}

export async function assertVolumesFree(
  { resources }: ControlPlanePorts,
  kind: Kind,
  workspace: string,
  name: string,
  spec: Document,
): Promise<void> {
  const volumes = kind.attaches?.(spec) ?? []
  if (volumes.length === 0) return
  for (const [volume, holder] of await resources.attachments(workspace, volumes)) {
    if (holder === `${kind.name}:${name}`) continue
    throw new Failure('resource_in_use', `Volume ${volume} is attached to ${holder}.`)
  }
}

/** Nobody else's domain, and a host that a name server can have (RFC 1035, section 2.3.4). */
export async function assertHostAllowed(
  { resources }: ControlPlanePorts,
  { name }: Kind,
  workspace: string,
  { prefixUrl, customDomain }: Document,
): Promise<void> {
  if (name !== 'preview') return
  if (prefixUrl && !customDomain && chosenLabel(workspace, String(prefixUrl)).length > maxLabel)
    throw new Failure('input_invalid', `spec.prefixUrl: has at most ${maxLabel} characters with the workspace and pv-`)
  if (!customDomain) return
  const all = await resources.page({ ...{ workspace, kind: 'customdomain', parent: '', q: '' }, ...firstDomains })
  if (!all.some((domain) => covers(domain, String(customDomain))))
    throw new Failure('input_invalid', 'spec.customDomain: is not in a verified custom domain of this workspace')
}

const maxLabel = 63

const firstDomains = { sort: 'createdAt:asc', after: undefined, fromEnd: false, limit: 1_000 } as const

/** A typo in a rollback must not bring the newest revision live. */
export async function assertRevisionsExist(
  { resources, revisions }: ControlPlanePorts,
  key: ResourceKey,
  spec: Document,
): Promise<void> {
  const named = namedRevisions(key.kind, spec)
  const found = named.length > 0 ? await resources.find(key) : undefined
  if (!found) return
  const known = new Set((await revisions.earlier(found.id)).map(({ id }) => id))
  const own = currentRevision(found)
  for (const [member, id] of named) if (id !== own && !known.has(id)) throw unknownRevision(member)
}

export function assertNoRevisionNamed({ name }: Kind, spec: Document): void {
  for (const [member] of namedRevisions(name, spec)) throw unknownRevision(member)
}

function namedRevisions(kind: string, spec: Document): Array<[member: string, id: string]> {
  const { active, canary } = revisionConfig({ spec })
  if (!hasRevisions(kind, spec)) return []
  return [
    ...(active ? [['active', active] as [string, string]] : []),
    ...(canary ? [['canary', canary] as [string, string]] : []),
  ]
}

const unknownRevision = (member: string) =>
  new Failure(
    'input_invalid',
    `spec.revision.${member}: is no revision of this resource; its revisions are at …/revisions`,
  )

export async function assertNotReferenced(
  { resources }: ControlPlanePorts,
  kind: Kind,
  { workspace, parent, name }: ResourceKey,
): Promise<void> {
  const referrers = kind.referencedBy
    ? await resources.referencesTo(workspace, kind.referencedBy.kinds, kind.referencedBy.reference(name))
    : []
  if (referrers.length > 0) throw new Failure('resource_in_use', `It is in use by ${referrers.join(', ')}.`)
  const path = parent ? `${parent}/${name}` : name
  if (kind.child && (await resources.hasChildren(workspace, kind.child, path))) {
    throw new Failure('resource_in_use', `It still contains an ${kind.child}.`)
  }
}
