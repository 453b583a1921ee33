import { unmask } from '../domain/masking.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'
import type { Document, Resource } from '../domain/resource.ts'
import { currentRevision, hasRevisions, isServing, revisionConfig, trafficOf } from '../domain/revisions.ts'
import { openSecrets } from '../domain/secrets.ts'

type Needs = Pick<ControlPlanePorts, 'revisions' | 'vault'>

type SplitSpec = {
  revision: string
  spec: Document
  isServing: boolean
  /** Percentage of the requests that it gets. */
  canary: { percent: number; revision: string; spec: Document } | undefined
  stickySeconds: number
}

/** With secrets. */
export async function openSpec(
  { revisions, vault }: Needs,
  found: Resource,
  id: string,
): Promise<Document | undefined> {
  const spec = unmask(found.spec, openSecrets(vault, found))
  if (id === currentRevision(found)) return spec
  const earlier = (await revisions.earlier(found.id)).find((each) => each.id === id)
  if (!earlier) return undefined
  const secrets = openSecrets(vault, { workspace: found.workspace, id: found.id, sealed: earlier.sealed })
  return { ...spec, ...unmask({ runtime: earlier.runtime }, secrets) }
}

/** The specs among which requests are divided. */
export async function splitSpec(needs: Needs, found: Resource): Promise<SplitSpec> {
  const current = currentRevision(found)
  const open = async (id: string) => {
    const spec = await openSpec(needs, found, id)
    return spec && { revision: id, spec }
  }
  const traffic = hasRevisions(found.kind, found.spec) ? trafficOf(found) : undefined
  const active = (await open(traffic?.active ?? current)) ?? (await open(current))
  const canary = traffic?.canary === undefined ? undefined : await open(traffic.canary)
  return {
    ...(active as NonNullable<typeof active>),
    isServing: isServing(found),
    canary: canary && { percent: traffic?.canaryPercent ?? 0, ...canary },
    stickySeconds: revisionConfig(found).stickySessionTtl ?? 0,
  }
}
