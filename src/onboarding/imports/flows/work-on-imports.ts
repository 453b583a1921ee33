import { worker } from '../../domain/audit/audit.ts'
import type { Link } from '../../domain/link.ts'
import type { Settings } from '../../domain/settings.ts'
import type { ProvisionNeeds, ProvisionSettings } from '../../provisioning/flows/provision-link.ts'
import { resume } from '../../provisioning/flows/sweep-links.ts'

type WorkSettings = ProvisionSettings & Pick<Settings, 'importsAtOnce'>

/** A turn ends after so many rows, so that a process that is to stop does not wait for a whole import. */
const rowsPerTurn = 400

/**
 * Starts rows of imports and carries their links on, several at the same time. What a process leaves behind is a link
 * like any other, and the sweep takes it up. Says how many rows it started, so that the caller asks again.
 */
export const workOnImports = (needs: ProvisionNeeds, settings: WorkSettings) => async (): Promise<number> => {
  const underWay = new Set<Promise<void>>()
  const errors: unknown[] = []
  const carryOn = async (link: Link): Promise<void> => {
    try {
      await resume(needs, settings, link)
    } catch (error) {
      errors.push(error)
    }
  }
  const begin = (link: Link) => {
    const work = carryOn(link).finally(() => underWay.delete(work))
    underWay.add(work)
  }
  let started = 0
  while (started < rowsPerTurn && errors.length === 0) {
    const limit = Math.min(settings.importsAtOnce - underWay.size, rowsPerTurn - started)
    const links = await needs.links.openImported({ limit }, { action: 'link.imported', actor: worker })
    for (const link of links) begin(link)
    started += links.length
    if (links.length === 0) break
    await roomFor(underWay, settings.importsAtOnce)
  }
  await Promise.all(underWay)
  // Their leases run out, and they are taken up again.
  if (errors.length > 0) throw errors[0]
  return started
}

/** Rows are opened several in a statement: one that ends does not make room yet. */
async function roomFor(underWay: ReadonlySet<Promise<void>>, atOnce: number): Promise<void> {
  while (underWay.size > Math.floor((atOnce * 3) / 4)) await Promise.race(underWay)
}
